import { type Case, on, outside, own, type Target } from "../case.ts";
import { syscall } from "../syscall.ts";

/** clone(2). */
const CLONE_NEWUSER = 0x10000000;

/** No right is gained, and nothing of the kernel's own is changed. */
export function ofPrivileges({ ws }: Target): readonly Case[] {
  const writeBack = (file: string): string => `v=$(cat ${file}) && [ -n "$v" ] && echo "$v" > ${file}`;
  const open = (file: string): string => `f=$(ls ${file} | head -n 1) && [ -e "$f" ] && : >> "$f"`;
  const setuid = `[ "$(${ws}/setuid-id -u)" = 0 ]`;
  const made = (file: string): string => `: > ${file}; chmod 4755 ${file}`;
  const bound = ["Inh", "Prm", "Eff", "Bnd", "Amb"]
    .map((set) => `grep -q '^Cap${set}:.0000000000000000$' $f`)
    .join(" && ");
  const isFree = `f=/proc/self/status; ! { ${bound} && grep -q '^NoNewPrivs:.1$' $f && grep -q '^Seccomp:.2$' $f; }`;
  const setuidFiles = on("both", [
    {
      claim: "sys",
      title: "no file can be made setuid",
      attack: made(`${ws}/setuid-made`),
      twin: outside(made(`${ws}/setuid-twin`)),
    },
  ]);
  const others = on("linux", [
    {
      claim: "priv",
      title: "a process has no capability, can gain none, and is filtered",
      attack: isFree,
      twin: outside(isFree),
    },
    {
      claim: "priv",
      title: "no user namespace can be made",
      attack: syscall("unshare", CLONE_NEWUSER),
      twin: outside(syscall("unshare", CLONE_NEWUSER)),
    },
    {
      claim: "priv",
      title: "the root folder cannot be changed",
      attack: syscall("chroot", ws),
      twin: own(syscall("chroot", ws)),
    },
    {
      claim: "priv",
      title: "a sysctl cannot be set",
      attack: writeBack("/proc/sys/kernel/printk_ratelimit"),
      twin: outside(writeBack("/proc/sys/kernel/printk_ratelimit")),
      twinFor: "root",
    },
    {
      claim: "priv",
      title: "a process's own settings in /proc cannot be changed",
      attack: writeBack("/proc/self/oom_score_adj"),
      twin: outside(writeBack("/proc/self/oom_score_adj")),
    },
    {
      claim: "priv",
      title: "a device's file in /sys cannot be opened for writing",
      attack: open("/sys/devices/system/cpu/uevent"),
      twin: outside(open("/sys/devices/system/cpu/uevent")),
      twinFor: "root",
    },
    {
      claim: "priv",
      title: "an interrupt's file in /proc cannot be opened for writing",
      attack: open("/proc/irq/default_smp_affinity"),
      twin: outside(open("/proc/irq/default_smp_affinity")),
      twinFor: "root",
    },
    {
      claim: "priv",
      title: "the host name cannot be set",
      attack: syscall("sethostname", "x", 1),
      twin: own(syscall("sethostname", "x", 1)),
    },
    {
      claim: "priv",
      title: "a program of root's with the setuid bit gains nothing",
      attack: `[ "$(id -u)" != 0 ] && ${setuid}`,
      twin: outside(setuid),
      twinFor: "root",
    },
  ]);
  return [...setuidFiles, ...others];
}

import { type Attack, type AttackTarget, on, outside, row, sameOutside, sameOwn } from "./attack.ts";
import { syscallOn } from "./syscall.ts";

/** clone(2). */
const CLONE_NEWUSER = 0x10000000;

/** No right is gained, and nothing of the kernel's own is changed. */
export function ofPrivileges({ ws, arch }: AttackTarget): readonly Attack[] {
  const syscall = syscallOn(arch);
  const ownSettings = `f=/proc/self/oom_score_adj; v=$(cat $f) && [ -n "$v" ] && echo "$v" > $f`;
  const open = (file: string): string => `f=$(ls ${file} | head -n 1) && [ -e "$f" ] && : >> "$f"`;
  const setuid = `[ "$(${ws}/setuid-id -u)" = 0 ]`;
  const made = (file: string): string => `: > ${file}; chmod 4755 ${file}`;
  const bound = ["Inh", "Prm", "Eff", "Bnd", "Amb"]
    .map((set) => `grep -q '^Cap${set}:.0000000000000000$' $f`)
    .join(" && ");
  const isFree = `f=/proc/self/status; ! { ${bound} && grep -q '^NoNewPrivs:.1$' $f && grep -q '^Seccomp:.2$' $f; }`;
  const setuidFiles = on("both", [
    row("sys", "no file can be made setuid", made(`${ws}/setuid-made`), outside(made(`${ws}/setuid-ok`))),
  ]);
  const others = on("linux", [
    sameOutside("priv", "a process has no capability, can gain none, and is filtered", isFree),
    sameOutside("priv", "no user namespace can be made", syscall("unshare", CLONE_NEWUSER)),
    sameOwn("priv", "the root folder cannot be changed", syscall("chroot", ws)),
    sameOutside("priv", "a process's own settings in /proc cannot be changed", ownSettings),
    sameOutside(
      "priv",
      "a device's file in /sys cannot be opened for writing",
      open("/sys/devices/system/cpu/uevent"),
      { controlFor: "root" },
    ),
    sameOutside(
      "priv",
      "an interrupt's file in /proc cannot be opened for writing",
      open("/proc/irq/default_smp_affinity"),
      { controlFor: "root" },
    ),
    sameOwn("priv", "the host name cannot be set", syscall("sethostname", "x", 1)),
    row(
      "priv",
      "a setuid program of root gains no rights",
      `[ "$(id -u)" != 0 ] && ${setuid}`,
      outside(setuid),
      { controlFor: "root" },
    ),
  ]);
  return [...setuidFiles, ...others];
}

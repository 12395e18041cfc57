import type { Protection } from "../../../src/index.ts";
import { ofSpellings } from "./spellings.ts";

/**
 * One act that the walls must refuse. Both lines are POSIX shell and do the same thing; status 0 says that it was done.
 * The twin shows that the act itself works: `granted` does it inside, where it is allowed; `outside` does it as the same
 * user without walls; `own` does it outside in namespaces of its own, where nothing of the machine is touched.
 */
export interface Probe {
  readonly claim: string;
  readonly protection: Protection;
  readonly attack: string;
  readonly twin: { readonly where: "granted" | "outside" | "own"; readonly line: string };
  /** Whose twin is tried: only root's where an ordinary user is refused outside as well, or only where root could prepare it. */
  readonly twinFor?: "root" | "prepared by root";
  /** As root the act is done where no device nodes can be made for tools; the receipt then says so. */
  readonly isOpenWithoutDevices?: true;
}

/** What probes speak of. */
export interface Target {
  /** The writable root. */
  readonly ws: string;
  /** A folder that nobody granted, with a file `canary`; `ws/inner` is its twin. */
  readonly outside: string;
  /** A process of the same user on the host, and a word that stands in its command line. */
  readonly pid: number;
  readonly word: string;
}

/** Writes back the mode that a file has: done when the mount that the path leads through can be written to by its owner. */
const SAME_MODE = (file: string): string => `m=$(stat -Lc %a ${file}) && chmod "$m" ${file}`;

/** Call numbers as the kernel's tables list them, for perl's `syscall`. */
const NUMBERS = {
  x64: {
    mount: 165,
    umount2: 166,
    unshare: 272,
    ptrace: 101,
    sethostname: 170,
    chroot: 161,
    pidfd_getfd: 438,
    add_key: 248,
    keyctl: 250,
  },
  arm64: {
    mount: 40,
    umount2: 39,
    unshare: 97,
    ptrace: 117,
    sethostname: 161,
    chroot: 51,
    pidfd_getfd: 438,
    add_key: 217,
    keyctl: 219,
  },
} as const;
export const NR = NUMBERS[process.arch === "arm64" ? "arm64" : "x64"];

const MS_REMOUNT = 32;
const MS_BIND = 4096;
const CLONE_NEWUSER = 0x10000000;
const PTRACE_ATTACH = 16;
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_PROCESS_KEYRING = -2;
const KEY_SPEC_SESSION_KEYRING = -3;

/** A line of shell that makes one system call; numbers are passed as they are, texts as pointers to them. */
export function syscall(name: keyof typeof NR, ...args: readonly (string | number)[]): string {
  const words = args.map((arg, index) =>
    typeof arg === "number" ? String(arg) : `my $a${index} = "${arg}"`,
  );
  return `perl -e 'exit(syscall(${[NR[name], ...words].join(", ")}) < 0 ? 1 : 0)'`;
}

/** Every act of the battery. */
export function probes(target: Target): readonly Probe[] {
  return [
    ...ofMounts(target),
    ...ofPrivileges(target),
    ...ofProcesses(target),
    ...ofKeyrings(),
    ...ofBase(target),
    ...ofSpellings(target),
  ];
}

/** The script that does acts one after another, each by itself, and prints `y` or `n` for each on its own line. */
export function script(lines: readonly string[]): string {
  return lines.map((line) => `( ${line}\n) >/dev/null 2>&1 </dev/null && echo y || echo n`).join("\n");
}

function ofMounts({ ws }: Target): readonly Probe[] {
  const mount = (folder: string): string =>
    `mkdir -p ${folder}; ${syscall("mount", "none", folder, "tmpfs", 0, 0)}`;
  const twin = (line: string): Probe["twin"] => ({ where: "own", line });
  const remount = (path: string, flags: number): string =>
    syscall("mount", "none", path, "", MS_REMOUNT | flags, 0);
  return [
    {
      claim: "priv: a file system cannot be mounted",
      protection: "capabilities",
      attack: mount(`${ws}/m1`),
      twin: twin(mount(`${ws}/m2`)),
    },
    {
      claim: "priv: the base cannot be remounted",
      protection: "capabilities",
      attack: remount("/", 0),
      twin: twin(`${mount(`${ws}/m3`)}; ${remount(`${ws}/m3`, 0)}`),
    },
    {
      claim: "priv: a read-only bind cannot be remounted",
      protection: "capabilities",
      attack: remount("/usr", MS_BIND),
      twin: twin(`${mount(`${ws}/m4`)}; ${remount(`${ws}/m4`, MS_BIND)}`),
    },
    {
      claim: "priv: /proc cannot be remounted",
      protection: "capabilities",
      attack: remount("/proc", 0),
      twin: twin(`${mount(`${ws}/m5`)}; ${remount(`${ws}/m5`, 0)}`),
    },
    {
      claim: "priv: a mount cannot be taken away",
      protection: "capabilities",
      attack: syscall("umount2", "/usr", 2),
      twin: twin(`${mount(`${ws}/m6`)}; ${syscall("umount2", `${ws}/m6`, 2)}`),
    },
  ];
}

function ofPrivileges({ ws }: Target): readonly Probe[] {
  const writeBack = (file: string): string => `v=$(cat ${file}) && [ -n "$v" ] && echo "$v" > ${file}`;
  const open = (file: string): string => `f=$(ls ${file} | head -n 1) && [ -e "$f" ] && : >> "$f"`;
  const setuid = `[ "$(${ws}/setuid-id -u)" = 0 ]`;
  const made = (file: string): string => `: > ${file}; chmod 4755 ${file}`;
  return [
    {
      claim: "sys: no file can be made setuid",
      protection: "syscalls",
      attack: made(`${ws}/setuid-made`),
      twin: { where: "outside", line: made(`${ws}/setuid-twin`) },
    },
    {
      claim: "priv: no user namespace can be made",
      protection: "capabilities",
      attack: syscall("unshare", CLONE_NEWUSER),
      twin: { where: "outside", line: syscall("unshare", CLONE_NEWUSER) },
    },
    {
      claim: "priv: the root folder cannot be changed",
      protection: "capabilities",
      attack: syscall("chroot", ws),
      twin: { where: "own", line: syscall("chroot", ws) },
    },
    {
      claim: "priv: a sysctl cannot be set",
      protection: "capabilities",
      attack: writeBack("/proc/sys/kernel/printk_ratelimit"),
      twin: { where: "outside", line: writeBack("/proc/sys/kernel/printk_ratelimit") },
      twinFor: "root",
    },
    {
      claim: "priv: a process's own settings in /proc cannot be changed",
      protection: "capabilities",
      attack: writeBack("/proc/self/oom_score_adj"),
      twin: { where: "outside", line: writeBack("/proc/self/oom_score_adj") },
    },
    {
      claim: "priv: a device's file in /sys cannot be opened for writing",
      protection: "capabilities",
      attack: open("/sys/devices/system/cpu/uevent"),
      twin: { where: "outside", line: open("/sys/devices/system/cpu/uevent") },
      twinFor: "root",
    },
    {
      claim: "priv: an interrupt's file in /proc cannot be opened for writing",
      protection: "capabilities",
      attack: open("/proc/irq/default_smp_affinity"),
      twin: { where: "outside", line: open("/proc/irq/default_smp_affinity") },
      twinFor: "root",
    },
    {
      claim: "priv: the host name cannot be set",
      protection: "capabilities",
      attack: syscall("sethostname", "x", 1),
      twin: { where: "own", line: syscall("sethostname", "x", 1) },
    },
    {
      claim: "priv: a program of root's with the setuid bit gains nothing",
      protection: "capabilities",
      attack: `[ "$(id -u)" != 0 ] && ${setuid}`,
      twin: { where: "outside", line: setuid },
      twinFor: "prepared by root",
    },
  ];
}

function ofProcesses({ pid, word }: Target): readonly Probe[] {
  const [head, tail] = [word.slice(0, 8), word.slice(8)];
  const seen = `perl -e 'for (glob "/proc/[0-9]*/cmdline") { open my $f, "<", $_ or next; exit 0 if index(<$f> // "", "${head}" . "${tail}") >= 0 } exit 1'`;
  const child = `my $c = fork // die; if (!$c) { sleep 5; exit } my $r = syscall(${NR.ptrace}, ${PTRACE_ATTACH}, $c, 0, 0); kill 9, $c; exit($r < 0 ? 1 : 0)`;
  const outside = (line: string): Probe["twin"] => ({ where: "outside", line });
  const take = `perl -e 'pipe my $r, my $w; my $c = fork // die; if (!$c) { sleep 5; exit } my $p = syscall(434, $c, 0); my $got = syscall(${NR.pidfd_getfd}, $p, fileno $r, 0); kill 9, $c; exit($got < 0 ? 1 : 0)'`;
  return [
    {
      claim: "proc: no process of the host can be seen",
      protection: "processes",
      attack: seen,
      twin: outside(seen),
    },
    {
      claim: "proc: a process of the host has no folder in /proc",
      protection: "processes",
      attack: `[ -e /proc/${pid} ]`,
      twin: outside(`[ -e /proc/${pid} ]`),
    },
    {
      claim: "proc: no process of the host can be signalled",
      protection: "processes",
      attack: `kill -0 ${pid}`,
      twin: outside(`kill -0 ${pid}`),
    },
    {
      claim: "proc: the descriptors of a process of the host cannot be listed",
      protection: "processes",
      attack: `ls /proc/${pid}/fd`,
      twin: outside(`ls /proc/${pid}/fd`),
    },
    {
      claim: "proc: no process can be traced, not even an own one",
      protection: "syscalls",
      attack: `perl -e '${child}'`,
      twin: outside(`perl -e '${child}'`),
    },
    {
      claim: "proc: no descriptor of another process can be taken",
      protection: "syscalls",
      attack: take,
      twin: outside(take),
    },
  ];
}

/** The key that is added goes into a keyring of perl's own process, and ends with it. */
function ofKeyrings(): readonly Probe[] {
  const add = syscall("add_key", "user", "cofferdam", "x", 1, KEY_SPEC_PROCESS_KEYRING);
  const find = syscall("keyctl", KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
  return [
    {
      claim: "sys: no key can be added to a keyring",
      protection: "syscalls",
      attack: add,
      twin: { where: "outside", line: add },
    },
    {
      claim: "sys: the session keyring cannot be found",
      protection: "syscalls",
      attack: find,
      twin: { where: "outside", line: find },
    },
  ];
}

function ofBase({ ws }: Target): readonly Probe[] {
  const acts = (folder: string): readonly (readonly [what: string, line: string])[] => [
    ["a file cannot be made in", `: > ${folder}/made`],
    ["a folder cannot be made in", `mkdir ${folder}/made-folder`],
    ["a link cannot be made in", `ln -s x ${folder}/made-link`],
  ];
  const own = `${ws}/base`;
  const prepared = `mkdir -p ${own}; echo x > ${own}/passwd;`;
  return [
    ...["", "/dev", "/etc", "/usr", "/sys", "/var"].flatMap((folder) =>
      acts(folder).map(([what, attack], index): Probe => {
        const name = `${ws}/twin${folder.replaceAll("/", "-")}`;
        return {
          claim: `fs.views: ${what} ${folder === "" ? "the base" : folder}`,
          protection: "files",
          attack,
          twin: { where: "granted", line: `mkdir -p ${name}; ${acts(name)[index]?.[1] ?? ""}` },
        };
      }),
    ),
    {
      claim: "fs.write: the file of a running program cannot be changed through /proc",
      protection: "files",
      attack: `for f in /proc/[0-9]*/exe; do ( ${SAME_MODE('"$f"')} ) && exit 0; done; exit 1`,
      twin: {
        where: "granted",
        line: `echo x > ${ws}/own; exec 3< ${ws}/own; ${SAME_MODE("/proc/self/fd/3")}`,
      },
    },
    {
      claim: "fs.write: the mode of a device of the host cannot be changed",
      protection: "files",
      attack: SAME_MODE("/dev/null"),
      twin: { where: "granted", line: `mkfifo ${ws}/fifo; ${SAME_MODE(`${ws}/fifo`)}` },
      isOpenWithoutDevices: true,
    },
    {
      claim: "fs.views: a made file of /etc cannot be changed",
      protection: "files",
      attack: "echo x >> /etc/passwd",
      twin: { where: "granted", line: `${prepared} echo x >> ${own}/passwd` },
    },
    {
      claim: "fs.views: a made file of /etc cannot be removed",
      protection: "files",
      attack: "rm /etc/passwd",
      twin: { where: "granted", line: `${prepared} rm ${own}/passwd` },
    },
    {
      claim: "fs.views: a folder of the base cannot be moved away",
      protection: "files",
      attack: "mv /etc /etc2",
      twin: { where: "granted", line: `mkdir -p ${own}/etc; mv ${own}/etc ${own}/etc2` },
    },
    {
      claim: "fs.views: the mode of the base cannot be changed",
      protection: "files",
      attack: "chmod 777 /",
      twin: { where: "granted", line: `mkdir -p ${own}; chmod 777 ${own}` },
    },
  ];
}

import type { GrantedCalls } from "../../src/backend/seccomp/standard.ts";
import type { SyscallGroup } from "../../src/profile/syscalls.ts";

/**
 * What the filter of a sandbox has to answer, written down a second time: names and numbers as the kernel's tables have
 * them, and no line of the sources. A slip in the one must not repeat itself in the other.
 */

/** The tables of call numbers: the two machines' own, and the 32-bit one that each can run as well. */
export type Table = "x64" | "arm64" | "i386" | "arm";

/** A call by its name, and its numbers for x64, arm64, i386 and arm; null where a table lacks it. */
export type Row = readonly [
  name: string,
  x64: number | null,
  arm64: number | null,
  i386: number | null,
  arm: number | null,
];

/** Refused with EPERM, whatever the arguments. */
export const NOT_PERMITTED: readonly Row[] = [
  ["mount", 165, 40, 21, 21],
  ["umount", null, null, 22, null],
  ["umount2", 166, 39, 52, 52],
  ["pivot_root", 155, 41, 217, 218],
  ["chroot", 161, 51, 61, 61],
  ["setns", 308, 268, 346, 375],
  ["open_by_handle_at", 304, 265, 342, 371],
  ["init_module", 175, 105, 128, 128],
  ["finit_module", 313, 273, 350, 379],
  ["delete_module", 176, 106, 129, 129],
  ["kexec_load", 246, 104, 283, 347],
  ["kexec_file_load", 320, 294, null, 401],
  ["reboot", 169, 142, 88, 88],
  ["swapon", 167, 224, 87, 87],
  ["swapoff", 168, 225, 115, 115],
  ["settimeofday", 164, 170, 79, 79],
  ["stime", null, null, 25, null],
  ["clock_settime", 227, 112, 264, 262],
  ["clock_settime64", null, null, 404, 404],
  ["sethostname", 170, 161, 74, 74],
  ["setdomainname", 171, 162, 121, 121],
  ["acct", 163, 89, 51, 51],
  ["quotactl", 179, 60, 131, 131],
  ["quotactl_fd", 443, 443, 443, 443],
  ["iopl", 172, null, 110, null],
  ["ioperm", 173, null, 101, null],
  ["syslog", 103, 116, 103, 103],
  ["vhangup", 153, 58, 111, 111],
  ["mbind", 237, 235, 274, 319],
  ["get_mempolicy", 239, 236, 275, 320],
  ["set_mempolicy", 238, 237, 276, 321],
  ["set_mempolicy_home_node", 450, 450, 450, 450],
  ["migrate_pages", 256, 238, 294, 400],
  ["move_pages", 279, 239, 317, 344],
  ["bpf", 321, 280, 357, 386],
  ["fanotify_init", 300, 262, 338, 367],
  ["perf_event_open", 298, 241, 336, 364],
  ["modify_ldt", 154, null, 123, null],
  ["create_module", 174, null, 127, null],
  ["get_kernel_syms", 177, null, 130, null],
  ["query_module", 178, null, 167, null],
  ["uselib", 134, null, 86, 86],
  ["ustat", 136, null, 62, 62],
  ["sysfs", 139, null, 135, 135],
  ["_sysctl", 156, null, 149, 149],
  ["nfsservctl", 180, 42, 169, 169],
  ["lookup_dcookie", 212, 18, 253, 249],
  ["vserver", 236, null, 273, 313],
  ["getpmsg", 181, null, 188, null],
  ["putpmsg", 182, null, 189, null],
  ["afs_syscall", 183, null, 137, null],
  ["tuxcall", 184, null, null, null],
  ["security", 185, null, null, null],
  ["pidfd_getfd", 438, 438, 438, 438],
  ["process_madvise", 440, 440, 440, 440],
  ["userfaultfd", 323, 282, 374, 388],
  ["add_key", 248, 217, 286, 309],
  ["request_key", 249, 218, 287, 310],
  ["keyctl", 250, 219, 288, 311],
];

/** Refused with ENOSYS, whatever the arguments. */
export const NOT_THERE: readonly Row[] = [
  ["clone3", 435, 435, 435, 435],
  ["open_tree", 428, 428, 428, 428],
  ["open_tree_attr", 467, 467, 467, 467],
  ["move_mount", 429, 429, 429, 429],
  ["mount_setattr", 442, 442, 442, 442],
  ["fsopen", 430, 430, 430, 430],
  ["fsconfig", 431, 431, 431, 431],
  ["fsmount", 432, 432, 432, 432],
  ["fspick", 433, 433, 433, 433],
  ["statmount", 457, 457, 457, 457],
  ["listmount", 458, 458, 458, 458],
  ["listns", 470, 470, 470, 470],
  ["memfd_secret", 447, 447, 447, null],
  ["cachestat", 451, 451, 451, 451],
  ["lsm_get_self_attr", 459, 459, 459, 459],
  ["lsm_set_self_attr", 460, 460, 460, 460],
  ["lsm_list_modules", 461, 461, 461, 461],
  ["io_uring_setup", 425, 425, 425, 425],
  ["io_uring_enter", 426, 426, 426, 426],
  ["io_uring_register", 427, 427, 427, 427],
  ["openat2", 437, 437, 437, 437],
];

/** Refused or not by what is granted, or by an argument: see `expectedAnswer`. */
export const BY_ARGUMENT: readonly Row[] = [
  ["ptrace", 101, 117, 26, 26],
  ["process_vm_readv", 310, 270, 347, 376],
  ["process_vm_writev", 311, 271, 348, 377],
  ["kcmp", 312, 272, 349, 378],
  ["personality", 135, 92, 136, 136],
  ["clone", 56, 220, 120, 120],
  ["unshare", 272, 97, 310, 337],
  ["ioctl", 16, 29, 54, 54],
  ["socket", 41, 198, 359, 281],
  ["socketpair", 53, 199, 360, 288],
  ["socketcall", null, null, 102, null],
  ["fcntl", 72, 25, 55, 55],
  ["fcntl64", null, null, 221, 221],
  ["chmod", 90, null, 15, 15],
  ["fchmod", 91, 52, 94, 94],
  ["fchmodat", 268, 53, 306, 333],
  ["fchmodat2", 452, 452, 452, 452],
  ["mknod", 133, null, 14, 14],
  ["mknodat", 259, 33, 297, 324],
  ["creat", 85, null, 8, 8],
  ["open", 2, null, 5, 5],
  ["openat", 257, 56, 295, 322],
];

/** Every call since Linux 5.1 that stays allowed, with the reason; what is not here and not above has not been judged. */
export const ALLOWED_ON_PURPOSE: readonly (readonly [number: number, name: string, why: string])[] = [
  [424, "pidfd_send_signal", "a signal to whom one could signal by number"],
  [434, "pidfd_open", "a handle on a process that one can see"],
  [436, "close_range", "of one's own descriptors"],
  [439, "faccessat2", "a question about a path that can be asked otherwise"],
  [441, "epoll_pwait2", "waiting"],
  [444, "landlock_create_ruleset", "a program may bound itself"],
  [445, "landlock_add_rule", "a program may bound itself"],
  [446, "landlock_restrict_self", "a program may bound itself"],
  [448, "process_mrelease", "takes memory back from a process that one has killed"],
  [449, "futex_waitv", "waiting on one's own memory"],
  [453, "map_shadow_stack", "memory of one's own that holds return addresses"],
  [454, "futex_wake", "waiting on one's own memory"],
  [455, "futex_wait", "waiting on one's own memory"],
  [456, "futex_requeue", "waiting on one's own memory"],
  [462, "mseal", "a program may bound itself"],
  [463, "setxattrat", "as setxattr, from a folder"],
  [464, "getxattrat", "as getxattr, from a folder"],
  [465, "listxattrat", "as listxattr, from a folder"],
  [466, "removexattrat", "as removexattr, from a folder"],
  [468, "file_getattr", "what the ioctl FS_IOC_FSGETXATTR tells"],
  [469, "file_setattr", "what the ioctl FS_IOC_FSSETXATTR does, with its checks"],
  [471, "rseq_slice_yield", "gives the processor back"],
];

/**
 * What container engines and desktop sandboxes refuse a program without capabilities by default (moby's
 * default_linux.go, flatpak's flatpak-run.c), as calls of x64.
 */
export const REFUSED_ELSEWHERE: readonly string[] = [
  ..."acct add_key afs_syscall bpf chroot clock_settime clone3 create_module delete_module fanotify_init".split(
    " ",
  ),
  ..."finit_module fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy getpmsg init_module".split(
    " ",
  ),
  ..."io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl".split(
    " ",
  ),
  ..."listns lookup_dcookie lsm_get_self_attr lsm_list_modules lsm_set_self_attr mbind migrate_pages".split(
    " ",
  ),
  ..."modify_ldt mount mount_setattr move_mount move_pages nfsservctl open_by_handle_at open_tree".split(" "),
  ..."open_tree_attr perf_event_open pidfd_getfd pivot_root process_madvise ptrace putpmsg query_module".split(
    " ",
  ),
  ..."quotactl quotactl_fd reboot request_key security set_mempolicy set_mempolicy_home_node".split(" "),
  ..."setdomainname sethostname setns settimeofday swapoff swapon sysfs _sysctl syslog tuxcall".split(" "),
  ..."umount2 uselib userfaultfd ustat vhangup vserver".split(" "),
];

const COLUMNS = { x64: 1, arm64: 2, i386: 3, arm: 4 } as const;

/** The number of a call in a table, or null. */
export function numberOf(row: Row, table: Table): number | null {
  return row[COLUMNS[table]];
}

/** The rows whose calls a table has, by their numbers. */
export function rowsOf(rows: readonly Row[], table: Table): ReadonlyMap<number, string> {
  return new Map(
    rows.flatMap((row) => {
      const number = numberOf(row, table);
      return number === null ? [] : [[number, row[0]] as const];
    }),
  );
}

const eachTable = (rows: readonly Row[]) => ({
  x64: rowsOf(rows, "x64"),
  arm64: rowsOf(rows, "arm64"),
  i386: rowsOf(rows, "i386"),
  arm: rowsOf(rows, "arm"),
});
const BY_NUMBER = {
  notPermitted: eachTable(NOT_PERMITTED),
  notThere: eachTable(NOT_THERE),
  byArgument: eachTable(BY_ARGUMENT),
};

const EPERM = "errno 1";
const ENOSYS = "errno 38";
const EAFNOSUPPORT = "errno 97";

/** What a profile says about system calls: its groups of them, and whether there are unix sockets. */
export type Grant = SyscallGroup | "unix";

/** What the standard policy is made of for that. */
export function grantedOf(grants: readonly Grant[]): GrantedCalls {
  return {
    syscalls: grants.filter((one) => one !== "unix"),
    sockets: grants.includes("unix") ? [] : "none",
  };
}

/** What a program must answer, as `simulateSeccomp` says it. */
export function expectedAnswer(
  machine: "x64" | "arm64",
  granted: readonly Grant[],
  table: Table,
  number: number,
  args: readonly bigint[],
): string {
  const isJudged =
    table === machine || (granted.includes("abi32") && table === (machine === "x64" ? "i386" : "arm"));
  if (!isJudged) return "kill process";
  if (table === "arm" && number >= 0x0f0000 && number < 0x0f0800) return "allow";
  if (number > 471) return ENOSYS;
  if (BY_NUMBER.notPermitted[table].has(number)) return EPERM;
  if (BY_NUMBER.notThere[table].has(number)) return ENOSYS;
  const name = BY_NUMBER.byArgument[table].get(number);
  return name === undefined ? "allow" : answerByArgument(name, granted, args);
}

function answerByArgument(name: string, granted: readonly Grant[], args: readonly bigint[]): string {
  const isDebugged = granted.includes("debug");
  const isPairForGood = [0x1, 0x5].includes(Number(BigInt.asUintN(32, args[1] ?? 0n) & ~0x80800n));
  const word = (at: number): number => Number(BigInt.asUintN(32, args[at] ?? 0n));
  const bits = (at: number, mask: number): boolean => (BigInt(word(at)) & BigInt(mask)) !== 0n;
  const refusedIf = (isRefused: boolean, how = EPERM): string => (isRefused ? how : "allow");
  const makesFile = (flags: number): boolean => bits(flags, 0o100) || bits(flags, 0o20000000);
  switch (name) {
    case "ptrace":
      return refusedIf(!isDebugged || word(1) === 1);
    case "process_vm_readv":
    case "process_vm_writev":
      return refusedIf(!isDebugged || word(0) === 1);
    case "kcmp":
      return refusedIf(!isDebugged);
    case "personality": {
      const usual = [0, 8, 0x20000, 0x20008, 0xffffffff].includes(word(0));
      return refusedIf(!usual && !(isDebugged && [0x40000, 0x40008].includes(word(0))));
    }
    case "clone":
      return refusedIf(
        [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000].some((one) =>
          bits(0, one),
        ),
      );
    case "unshare":
      return refusedIf(BigInt(word(0)) - (BigInt(word(0)) & 0x50f00n) !== 0n);
    case "ioctl":
      return refusedIf([0x5412, 0x541c, 0x5423, 0x50009401, 0x50009417, 0x5000943f].includes(word(1)));
    case "socket":
    case "socketpair":
      if (!granted.includes("unix") && (name === "socket" ? word(0) === 1 : !isPairForGood))
        return EAFNOSUPPORT;
      return refusedIf(![1, 2, 10].includes(word(0)) && !(word(0) === 16 && word(2) === 0), EAFNOSUPPORT);
    case "socketcall":
      return refusedIf([1, 8].includes(word(0)), ENOSYS);
    case "fcntl":
    case "fcntl64":
      return refusedIf([1024, 1040].includes(word(1)));
    case "chmod":
    case "fchmod":
    case "mknod":
    case "creat":
      return refusedIf(bits(1, 0o4000));
    case "fchmodat":
    case "fchmodat2":
    case "mknodat":
      return refusedIf(bits(2, 0o4000));
    case "open":
      return refusedIf(bits(2, 0o4000) && makesFile(1));
    case "openat":
      return refusedIf(bits(3, 0o4000) && makesFile(2));
    default:
      throw new Error(`nothing is expected of ${name}`);
  }
}

/** Arguments that reach every branch of `expectedAnswer`, each also with something in the high words. */
export const ARGUMENTS: readonly (readonly bigint[])[] = [
  [],
  ...[0, 1, 2, 3, 8, 9, 10, 11, 15, 16, 17, 38, 40].flatMap((family) =>
    [[], [1n], [3n, 9n], [1n, 9n], [1n, 1n]].map((rest) => [BigInt(family), ...rest]),
  ),
  ...[0x1, 0x5].flatMap((type) =>
    [0, 0x800, 0x80000, 0x80800, 0x400, 0x40000].flatMap((flags) =>
      [-1, 0, 1].map((by) => [1n, BigInt((type | flags) + by)]),
    ),
  ),
  ...[0x5401, 0x5412, 0x5413, 0x541c, 0x5423, 0x50009401, 0x50009417, 0x5000943f].map((request) => [
    3n,
    BigInt(request),
  ]),
  ...[1, 1023, 1024, 1025, 1040].map((command) => [3n, BigInt(command)]),
  ...[0x20000, 0x20008, 0x40000, 0x40008, 0x60000, 0x400000, 0xffffffff, 4].map((persona) => [
    BigInt(persona),
  ]),
  ...Array.from({ length: 32 }, (_, bit) => [1n << BigInt(bit)]),
  [0x50f00n],
  ...[1, 2, 3].flatMap((at) =>
    [0o4000, 0o4755, 0o3777, 0xfffff7ff].map((mode) => [...Array<bigint>(at).fill(0n), BigInt(mode)]),
  ),
  ...[0o100, 0o20000000, 0o20200000, 0xffbfffbf].flatMap((flags) => [
    [0n, BigInt(flags), 0o4755n],
    [0n, BigInt(flags), 0o3755n],
    [0n, BigInt(flags), 0xfffff7ffn],
    [0n, 0n, BigInt(flags), 0xfffff7ffn],
    [0n, 0n, BigInt(flags), 0o4755n],
    [0n, 0n, BigInt(flags), 0o3755n],
  ]),
].flatMap((args) => [args, Array.from({ length: 6 }, (_, at) => (args[at] ?? 0n) | 0x123_0000_0000n)]);

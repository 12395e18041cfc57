import type { SeccompRule } from "./policy.ts";
import { refuse } from "./refuse.ts";
import { SYSCALLS } from "./syscalls.ts";

/**
 * Refuses work on the machine itself. Most of these calls need a capability that no process inside has, so the refusal
 * repeats the kernel's own check and keeps the code after it out of reach:
 *
 * - modules, another kernel, restart, swap, clock, names, accounting, quotas, ports, the kernel's messages;
 * - placement of memory on nodes: it reveals where the memory of others is;
 * - bpf, fanotify and performance events run code of the caller's in the kernel, or watch other processes; no debugger
 *   needs the last, and how far it sees is a setting of the host (`kernel.perf_event_paranoid`);
 * - modify_ldt gives segments of their own to 16-bit programs and has leaked the content of the kernel's stack;
 * - memfd_secret (5.14) takes memory that the machine can neither move nor swap;
 * - cachestat (6.5) revealed until 6.14 which pages of read-only files are in memory, so what others read;
 * - the calls of security modules (6.8) read and change such a module's name for the process: they bypass
 *   /proc/self/attr, which is read-only here;
 * - calls that kernels have dropped, or never had at the number.
 */
export const MACHINE_RULES: readonly SeccompRule[] = [
  ...refuse("EPERM", SYSCALLS.init_module, SYSCALLS.finit_module, SYSCALLS.delete_module),
  ...refuse("EPERM", SYSCALLS.kexec_load, SYSCALLS.kexec_file_load, SYSCALLS.reboot),
  ...refuse("EPERM", SYSCALLS.swapon, SYSCALLS.swapoff),
  ...refuse("EPERM", SYSCALLS.settimeofday, SYSCALLS.stime, SYSCALLS.clock_settime, SYSCALLS.clock_settime64),
  ...refuse("EPERM", SYSCALLS.sethostname, SYSCALLS.setdomainname),
  ...refuse("EPERM", SYSCALLS.acct, SYSCALLS.quotactl, SYSCALLS.quotactl_fd),
  ...refuse("EPERM", SYSCALLS.iopl, SYSCALLS.ioperm, SYSCALLS.syslog, SYSCALLS.vhangup),
  ...refuse("EPERM", SYSCALLS.mbind, SYSCALLS.get_mempolicy, SYSCALLS.set_mempolicy),
  ...refuse("EPERM", SYSCALLS.set_mempolicy_home_node, SYSCALLS.migrate_pages, SYSCALLS.move_pages),
  ...refuse("EPERM", SYSCALLS.bpf, SYSCALLS.fanotify_init, SYSCALLS.perf_event_open),
  ...refuse("EPERM", SYSCALLS.modify_ldt),
  ...refuse("ENOSYS", SYSCALLS.memfd_secret, SYSCALLS.cachestat),
  ...refuse("ENOSYS", SYSCALLS.lsm_get_self_attr, SYSCALLS.lsm_set_self_attr, SYSCALLS.lsm_list_modules),
  ...refuse("EPERM", SYSCALLS.create_module, SYSCALLS.get_kernel_syms, SYSCALLS.query_module),
  ...refuse("EPERM", SYSCALLS.uselib, SYSCALLS.ustat, SYSCALLS.sysfs, SYSCALLS._sysctl),
  ...refuse("EPERM", SYSCALLS.nfsservctl, SYSCALLS.lookup_dcookie, SYSCALLS.vserver),
  ...refuse("EPERM", SYSCALLS.getpmsg, SYSCALLS.putpmsg, SYSCALLS.afs_syscall),
  ...refuse("EPERM", SYSCALLS.tuxcall, SYSCALLS.security),
];

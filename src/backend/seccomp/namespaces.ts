import type { SeccompRule } from "./policy.ts";
import { refuse, refuseWhen } from "./refuse.ts";
import { SYSCALLS } from "./syscalls.ts";

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET (include/uapi/linux/sched.h). */
const NEW_NAMESPACES = 0x7e02_0000;

/**
 * All of unshare(2) but CLONE_VM, FS, FILES, SIGHAND, THREAD and SYSVSEM (include/uapi/linux/sched.h): namespaces,
 * CLONE_NEWTIME among them, and later flags. clone(2) has CLONE_NEWTIME's bit for the signal at the end.
 */
const NOT_OF_THE_PROCESS = 0xfffa_f0ff;

/**
 * Refuses namespaces and mounts: the sandbox is made of both, and most holes of the kernel were in code that it runs
 * for owners of a user namespace. clone3(2) has its flags in memory that a filter cannot read: it is ENOSYS, as before
 * Linux 5.3, and C libraries and runtimes fall back to clone(2). The mount calls since 5.2 are ENOSYS too, so that
 * programs fall back to mount(2) and get EPERM.
 *
 * statmount, listmount (6.8) and listns (6.19) list mounts and other owners of namespaces in more detail than /proc
 * does; programs that know them fall back to it. A file handle would open a file past the mounts that hide it.
 */
export const NAMESPACE_RULES: readonly SeccompRule[] = [
  refuseWhen("EPERM", SYSCALLS.clone, { kind: "has-bit-of", argument: 0, mask: NEW_NAMESPACES }),
  refuseWhen("EPERM", SYSCALLS.unshare, { kind: "has-bit-of", argument: 0, mask: NOT_OF_THE_PROCESS }),
  ...refuse("ENOSYS", SYSCALLS.clone3),
  ...refuse("EPERM", SYSCALLS.setns, SYSCALLS.chroot, SYSCALLS.pivot_root),
  ...refuse("EPERM", SYSCALLS.mount, SYSCALLS.umount, SYSCALLS.umount2, SYSCALLS.open_by_handle_at),
  ...refuse(
    "ENOSYS",
    SYSCALLS.open_tree,
    SYSCALLS.open_tree_attr,
    SYSCALLS.move_mount,
    SYSCALLS.mount_setattr,
  ),
  ...refuse("ENOSYS", SYSCALLS.fsopen, SYSCALLS.fsconfig, SYSCALLS.fsmount, SYSCALLS.fspick),
  ...refuse("ENOSYS", SYSCALLS.statmount, SYSCALLS.listmount, SYSCALLS.listns),
];

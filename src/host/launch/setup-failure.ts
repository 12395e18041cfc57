import { escapeInvisible } from "../../errors.ts";

/** The reason why a launcher could not build the sandbox here, and the remedy on this host. */
export interface SetupFailure {
  readonly cause: string;
  readonly fix: string;
}

/**
 * Words of launchers that can't build the sandbox, in the order they are tried. Sources: bubblewrap's source and issues
 * 269, 284, 505, 592, 650, 689, 745; wordings differ between distributions, so only their core is matched.
 */
const KNOWN: readonly (SetupFailure & { readonly says: RegExp })[] = [
  {
    says: /No permissions to creat\w+ (a )?(new )?namespace/,
    cause:
      "this user may not create user namespaces (a container's filter, `kernel.unprivileged_userns_clone=0`, or an outer sandbox)",
    fix: "inside a sandbox: run this command outside of it; on the host: `sysctl kernel.unprivileged_userns_clone=1`; in a container: run it with a seccomp profile that allows clone, unshare, mount and pivot_root",
  },
  {
    says: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/,
    cause: "AppArmor denies user namespaces to unprivileged programs (Ubuntu 23.10 and later)",
    fix: "install a profile that allows them to bwrap: `apt install apparmor-profiles`, then load `bwrap-userns-restrict`; in CI: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`",
  },
  {
    says: /Creating new namespace failed: Permission denied/,
    cause: "a security module denies user namespaces to this bwrap",
    fix: "give its path an AppArmor profile with `userns,`",
  },
  {
    says: /max_\S*_namespaces exceeded|No space left on device/,
    cause:
      "no more namespaces may be created: `user.max_user_namespaces` is 0, or this process already runs in a sandbox",
    fix: "on the host: `sysctl user.max_user_namespaces=15000`; inside a sandbox: run this command outside of it",
  },
  {
    says: /Creating new namespace failed: Resource temporarily unavailable/,
    cause: "the process limit of this user is reached",
    fix: "raise `ulimit -u`",
  },
  {
    says: /Creating new namespace failed: Operation not permitted/,
    cause: "this process may not create namespaces",
    fix: "in a container: allow user namespaces, or run it with the capability SYS_ADMIN",
  },
  {
    says: /Can't mount proc on/,
    cause: "the container runtime hides parts of /proc, so the kernel refuses to mount a new one",
    fix: "podman: `--security-opt unmask=ALL`; docker: `--security-opt systempaths=unconfined`; kubernetes: `procMount: Unmasked` with `hostUsers: false`",
  },
  {
    says: /Failed to make \/ slave/,
    cause: "the container's AppArmor profile refuses mounts",
    fix: "run it with `--security-opt apparmor=unconfined`",
  },
  {
    says: /Failed to mount tmpfs: Permission denied/,
    cause: "SELinux refuses mounts",
    fix: "run the container with `--security-opt label=type:spc_t`",
  },
  {
    says: /pivot_root: Invalid argument/,
    cause: "the root file system is an initramfs or a chroot",
    fix: "make `/` a mount point",
  },
  { says: /Can't read \/proc\/sys\/kernel\/overflowuid/, cause: "/proc is not mounted", fix: "mount /proc" },
  {
    says: /Unable to apply mount flags/,
    cause: "mounts of the host changed during the setup",
    fix: "run the command again",
  },
  {
    says: /setuid|Unexpected capabilities/i,
    cause: "bwrap is setuid or has file capabilities",
    fix: "reinstall bubblewrap: it must be an ordinary program",
  },
  {
    says: /symlink destination|Too many levels of symbolic links/,
    cause: "a granted path became a symlink during the setup",
    fix: "run the command again",
  },
  {
    says: /Can't find source path.*Permission denied/,
    cause: "the user that tools run as can't enter a folder above a granted one",
    fix: "let that user enter the folders above (chmod o+x), or give the granted folders to root",
  },
  {
    says: /Can't find source path|No such file or directory/,
    cause: "a granted path disappeared during the setup",
    fix: "run the command again",
  },
  { says: /Unknown option/, cause: "this bubblewrap is too old", fix: "install bubblewrap 0.5 or newer" },
  {
    says: /seccomp|system call filtering/,
    cause: "the kernel has no seccomp filters",
    fix: "use a kernel with CONFIG_SECCOMP_FILTER",
  },
];

/** The meaning of the launcher's last words. Unknown ones are shown as they are. */
export function explainSetupFailure(stderr: string): SetupFailure {
  const known = KNOWN.find((entry) => entry.says.test(stderr));
  if (known !== undefined) return { cause: known.cause, fix: known.fix };
  const line = stderr.trim().split("\n").at(-1) ?? "";
  return {
    cause: line === "" ? "it ended without a message" : `its message: ${escapeInvisible(line)}`,
    fix: "run `cofferdam doctor`",
  };
}

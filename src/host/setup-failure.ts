import { escapeInvisible } from "../errors.ts";

/** Why a launcher could not build the walls here, and what mends it on this host. */
export interface SetupFailure {
  readonly cause: string;
  readonly fix: string;
}

/**
 * What launchers say when the walls can't be built, in the order they are tried. Sources: bubblewrap's source and issues
 * 269, 284, 505, 592, 650, 689, 745; wordings differ between distributions, so only their core is matched.
 */
const KNOWN: readonly (SetupFailure & { readonly says: RegExp })[] = [
  {
    says: /No permissions to creat\w+ (a )?(new )?namespace/,
    cause:
      "this user may not create user namespaces (a container's filter, `kernel.unprivileged_userns_clone=0`, or this already is a sandbox)",
    fix: "inside a sandbox: run this command outside of it; on the host: `sysctl kernel.unprivileged_userns_clone=1`; in a container: run it with a seccomp profile that allows clone, unshare, mount and pivot_root",
  },
  {
    says: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/,
    cause: "AppArmor keeps unprivileged programs from using user namespaces (Ubuntu 23.10 and later)",
    fix: "install a profile that lets bwrap have them: `apt install apparmor-profiles`, then load `bwrap-userns-restrict`; in CI: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`",
  },
  {
    says: /Creating new namespace failed: Permission denied/,
    cause: "a security module refuses user namespaces to this bwrap",
    fix: "give its path an AppArmor profile with `userns,`",
  },
  {
    says: /max_\S*_namespaces exceeded|No space left on device/,
    cause:
      "no more namespaces may be made here: `user.max_user_namespaces` is 0, or this already is a sandbox",
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
    cause: "the container runtime hides parts of /proc, so that the kernel refuses a new one",
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
    cause: "mounts of the host changed during the set-up",
    fix: "run the command again",
  },
  {
    says: /setuid|Unexpected capabilities/i,
    cause: "bwrap is setuid or has file capabilities",
    fix: "reinstall bubblewrap: it must be an ordinary program",
  },
  {
    says: /symlink destination|Too many levels of symbolic links/,
    cause: "a granted path became a symlink during the set-up",
    fix: "run the command again",
  },
  {
    says: /Can't find source path.*Permission denied/,
    cause: "the user that tools run as can't pass a folder above a granted one",
    fix: "let that user pass the folders above (chmod o+x), or give the granted folders to root",
  },
  {
    says: /Can't find source path|No such file or directory/,
    cause: "a granted path vanished during the set-up",
    fix: "run the command again",
  },
  { says: /Unknown option/, cause: "this bubblewrap is too old", fix: "install bubblewrap 0.5 or newer" },
  {
    says: /seccomp|system call filtering/,
    cause: "the kernel has no seccomp filters",
    fix: "use a kernel with CONFIG_SECCOMP_FILTER",
  },
];

/** What the launcher's last words mean. Unknown ones are shown as they are. */
export function explainSetupFailure(stderr: string): SetupFailure {
  const known = KNOWN.find((entry) => entry.says.test(stderr));
  if (known !== undefined) return { cause: known.cause, fix: known.fix };
  const line = stderr.trim().split("\n").at(-1) ?? "";
  return {
    cause: line === "" ? "it ended without a word" : `it said: ${escapeInvisible(line)}`,
    fix: "run `cofferdam doctor`",
  };
}

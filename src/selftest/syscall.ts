/** Call numbers as the kernel's tables list them (syscall_64.tbl; include/uapi/asm-generic/unistd.h). */
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

/** The numbers of this machine. */
export const NR = NUMBERS[process.arch === "arm64" ? "arm64" : "x64"];

/**
 * A line of shell that makes one system call; numbers are passed as they are, texts as pointers to them. Node and the
 * shell have no way to make any call by its number; perl has (perlfunc, `syscall`).
 */
export function syscall(name: keyof typeof NR, ...args: readonly (string | number)[]): string {
  const words = args.map((arg, index) =>
    typeof arg === "number" ? String(arg) : `my $a${index} = "${arg}"`,
  );
  return `perl -e 'exit(syscall(${[NR[name], ...words].join(", ")}) < 0 ? 1 : 0)'`;
}

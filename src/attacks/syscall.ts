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

/** Numbers of system calls by name. */
export type AttackSyscalls = Readonly<Record<keyof typeof NUMBERS.x64, number>>;

type SyscallLine = (name: keyof AttackSyscalls, ...args: readonly (string | number)[]) => string;

/** The numbers of a processor; all but arm64 have those of x64. */
export function syscallNumbers(arch: string): AttackSyscalls {
  return NUMBERS[arch === "arm64" ? "arm64" : "x64"];
}

/**
 * Lines of shell that each make one system call, by perl (perlfunc, `syscall`). Numbers stay, texts become pointers.
 */
export function syscallOn(arch: string): SyscallLine {
  return (name, ...args) => {
    const words = args.map((arg, index) =>
      typeof arg === "number" ? String(arg) : `my $a${index} = "${arg}"`,
    );
    return `perl -e 'exit(syscall(${[syscallNumbers(arch)[name], ...words].join(", ")}) < 0 ? 1 : 0)'`;
  };
}

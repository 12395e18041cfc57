/** Arguments of calls with two paths but no program (bsd/kern/syscalls.master, sys/fcntl.h, sys/stdio.h). */
const CALLS = {
  /** `RENAME_SWAP`. */
  renameatx_np: "488, -2, $f, -2, $t, 2",
  clonefileat: "462, -2, $f, -2, $t, 0",
} as const;

/** A line of shell that makes such a call. On other systems the numbers mean other calls, so it fails there. */
export function kernelCall(name: keyof typeof CALLS, from: string, to: string): string {
  return onMac(`my ($f, $t) = @ARGV; exit(syscall(${CALLS[name]}) == 0 ? 0 : 1)`, from, to);
}

/** A program of perl's that runs on macOS alone. */
export function onMac(program: string, ...words: readonly string[]): string {
  return [`perl -e '$^O eq "darwin" or exit 1; ${program}'`, ...words].join(" ");
}

/** The same by modules of perl's. */
export function withSockets(program: string): string {
  return `perl -MSocket -e '${program}'`;
}

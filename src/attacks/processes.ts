import { signalled } from "./at-start.ts";
import { type Attack, type AttackTarget, on, sameOutside } from "./attack.ts";
import { syscallNumbers } from "./syscall.ts";

/** ptrace(2). */
const PTRACE_ATTACH = 16;

/** Processes of the host are out of reach; own ones are not traced. */
export function ofProcesses({ pid, word, arch }: AttackTarget): readonly Attack[] {
  const { ptrace, pidfd_getfd } = syscallNumbers(arch);
  const [head, tail] = [word.slice(0, 8), word.slice(8)];
  const seen = `perl -e 'for (glob "/proc/[0-9]*/cmdline") { open my $f, "<", $_ or next; exit 0 if index(<$f> // "", "${head}" . "${tail}") >= 0 } exit 1'`;
  const child = `my $c = fork // die; if (!$c) { sleep 5; exit } my $r = syscall(${ptrace}, ${PTRACE_ATTACH}, $c, 0, 0); kill 9, $c; exit($r < 0 ? 1 : 0)`;
  const take = `perl -e 'pipe my $r, my $w; my $c = fork // die; if (!$c) { sleep 5; exit } my $p = syscall(434, $c, 0); my $got = syscall(${pidfd_getfd}, $p, fileno $r, 0); kill 9, $c; exit($got < 0 ? 1 : 0)'`;
  return on("linux", [
    signalled(pid),
    sameOutside("proc", "no process of the host can be seen", seen),
    sameOutside("proc", "a process of the host has no folder in /proc", `[ -e /proc/${pid} ]`),
    sameOutside("proc", "the descriptors of a process of the host cannot be listed", `ls /proc/${pid}/fd`),
    sameOutside("proc", "no process can be traced, not even a child", `perl -e '${child}'`),
    sameOutside("proc", "no descriptor of another process can be taken", take),
  ]);
}

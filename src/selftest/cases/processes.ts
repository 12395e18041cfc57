import { type Case, on, outside, type Target } from "../case.ts";
import { NR } from "../syscall.ts";

/** ptrace(2). */
const PTRACE_ATTACH = 16;

/** Processes of the host are out of reach; own ones are not traced. */
export function ofProcesses({ pid, word }: Target): readonly Case[] {
  const [head, tail] = [word.slice(0, 8), word.slice(8)];
  const seen = `perl -e 'for (glob "/proc/[0-9]*/cmdline") { open my $f, "<", $_ or next; exit 0 if index(<$f> // "", "${head}" . "${tail}") >= 0 } exit 1'`;
  const child = `my $c = fork // die; if (!$c) { sleep 5; exit } my $r = syscall(${NR.ptrace}, ${PTRACE_ATTACH}, $c, 0, 0); kill 9, $c; exit($r < 0 ? 1 : 0)`;
  const take = `perl -e 'pipe my $r, my $w; my $c = fork // die; if (!$c) { sleep 5; exit } my $p = syscall(434, $c, 0); my $got = syscall(${NR.pidfd_getfd}, $p, fileno $r, 0); kill 9, $c; exit($got < 0 ? 1 : 0)'`;
  const signalled = on("both", [
    {
      claim: "proc",
      title: "no process of the host can be signalled",
      attack: `kill -0 ${pid}`,
      twin: outside(`kill -0 ${pid}`),
    },
  ]);
  const others = on("linux", [
    {
      claim: "proc",
      title: "no process of the host can be seen",
      attack: seen,
      twin: outside(seen),
    },
    {
      claim: "proc",
      title: "a process of the host has no folder in /proc",
      attack: `[ -e /proc/${pid} ]`,
      twin: outside(`[ -e /proc/${pid} ]`),
    },
    {
      claim: "proc",
      title: "the descriptors of a process of the host cannot be listed",
      attack: `ls /proc/${pid}/fd`,
      twin: outside(`ls /proc/${pid}/fd`),
    },
    {
      claim: "proc",
      title: "no process can be traced, not even an own one",
      attack: `perl -e '${child}'`,
      twin: outside(`perl -e '${child}'`),
    },
    {
      claim: "proc",
      title: "no descriptor of another process can be taken",
      attack: take,
      twin: outside(take),
    },
  ]);
  return [...signalled, ...others];
}

import { type Case, granted, on, outside, type Target, wider } from "../../case.ts";
import { onMac } from "./kernel-call.ts";

/** sysctl(2) by its number; the names of variables as numbers (sys/sysctl.h). */
const SYSCTL = 202;
const ALL_PROCESSES = 'pack("i4", 1, 14, 0, 0), 4';
/** proc_info(2): the numbers of its questions (sys/proc_info.h). */
const PROC_INFO = 336;
/** sem_open(2), sem_unlink(2), shm_open(2), shm_unlink(2), shmget(2), shmctl(2) with `IPC_RMID`. */
const SEMAPHORE =
  'my $n = "/cofferdam-$$"; my $s = syscall(268, $n, 0xa00, 0600, 1); syscall(270, $n); exit($s == -1 ? 1 : 0)';
const SHARED =
  'my $n = "/cofferdam-$$"; my $s = syscall(266, $n, 0xa02, 0600); syscall(267, $n); exit($s < 0 ? 1 : 0)';
const SEGMENT = "my $s = syscall(265, 0, 4096, 01600); exit 1 if $s < 0; syscall(263, $s, 0, 0); exit 0";

/** Other processes can be neither seen nor asked about, and share nothing by a name. */
export function ofMacProcesses({ pid }: Target): readonly Case[] {
  const buffer = 'my $b = "\\0" x 1048576;';
  const all = onMac(
    `my $l = pack("Q", 0); exit(syscall(${SYSCTL}, ${ALL_PROCESSES}, 0, $l, 0, 0) == 0 ? 0 : 1)`,
  );
  const words = onMac(
    `${buffer} my $l = pack("Q", 1048576); exit(syscall(${SYSCTL}, pack("i3", 1, 49, ${pid}), 3, $b, $l, 0, 0) == 0 ? 0 : 1)`,
  );
  const listed = onMac(`${buffer} exit(syscall(${PROC_INFO}, 1, 1, 0, 0, $b, 1048576) > 0 ? 0 : 1)`);
  const told = onMac(`${buffer} exit(syscall(${PROC_INFO}, 2, ${pid}, 3, 0, $b, 4096) > 0 ? 0 : 1)`);
  const sysctl = (name: string): string => `[ -n "$(sysctl -n ${name})" ]`;
  return on("darwin", [
    {
      claim: "proc",
      title: "the list of processes is refused unless `processes` is given",
      attack: all,
      twin: wider(all),
    },
    {
      claim: "proc",
      title: "nor is it had by another call",
      attack: listed,
      twin: outside(listed),
    },
    {
      claim: "proc",
      title: "nor by ps, which gains rights when it starts",
      attack: `ps -p ${pid}`,
      twin: outside(`ps -p ${pid}`),
    },
    {
      claim: "proc",
      title: "the words and variables of another process of this user are not told",
      attack: words,
      twin: outside(words),
    },
    {
      claim: "proc",
      title: "nothing is told about a process outside",
      attack: told,
      twin: outside(told),
    },
    {
      claim: "priv",
      title: "a program that gains rights when it starts is not started",
      attack: "[ -u /usr/bin/sudo ] && /usr/bin/sudo -V",
      twin: outside("[ -u /usr/bin/sudo ] && /usr/bin/sudo -V"),
    },
    {
      claim: "priv",
      title: "no sandbox of another's rules is entered",
      attack: "/usr/bin/sandbox-exec -p '(version 1)(allow default)' /usr/bin/true",
      twin: outside("/usr/bin/sandbox-exec -p '(version 1)(allow default)' /usr/bin/true"),
    },
    {
      claim: "priv",
      title: "a variable of the kernel that is not listed is not read",
      attack: sysctl("kern.bootsessionuuid"),
      twin: granted(sysctl("hw.ncpu")),
    },
    {
      claim: "services",
      title: "no semaphore is had by a name unless `python` is given",
      attack: onMac(SEMAPHORE),
      twin: wider(onMac(SEMAPHORE)),
    },
    {
      claim: "services",
      title: "no memory is shared by a name",
      attack: onMac(SHARED),
      twin: outside(onMac(SHARED)),
    },
    {
      claim: "services",
      title: "nor by a number of System V",
      attack: onMac(SEGMENT),
      twin: outside(onMac(SEGMENT)),
    },
  ]);
}

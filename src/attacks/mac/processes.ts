import { type Attack, type AttackTarget, granted, on, row, sameOutside, sameWider } from "../attack.ts";
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
export function ofMacProcesses({ pid }: AttackTarget): readonly Attack[] {
  const buffer = 'my $b = "\\0" x 1048576;';
  const all = onMac(
    `my $l = pack("Q", 0); exit(syscall(${SYSCTL}, ${ALL_PROCESSES}, 0, $l, 0, 0) == 0 ? 0 : 1)`,
  );
  const words = onMac(
    `${buffer} my $l = pack("Q", 1048576); exit(syscall(${SYSCTL}, pack("i3", 1, 49, ${pid}), 3, $b, $l, 0, 0) == 0 ? 0 : 1)`,
  );
  const listed = onMac(`${buffer} exit(syscall(${PROC_INFO}, 1, 1, 0, 0, $b, 1048576) > 0 ? 0 : 1)`);
  const ofOutside = onMac(`${buffer} exit(syscall(${PROC_INFO}, 2, ${pid}, 3, 0, $b, 4096) > 0 ? 0 : 1)`);
  const sysctl = (name: string): string => `[ -n "$(sysctl -n ${name})" ]`;
  return on("darwin", [
    sameWider("proc", "the list of processes is refused without `processes`", all),
    sameOutside("proc", "another system call does not return the list of processes", listed),
    sameOutside("proc", "ps, which gains rights when it starts, does not list processes", `ps -p ${pid}`),
    sameOutside("proc", "the arguments and variables of another process of this user are not visible", words),
    sameOutside("proc", "no data of a process outside is visible", ofOutside),
    sameOutside(
      "priv",
      "a program that gains rights when it starts cannot be started",
      "[ -u /usr/bin/sudo ] && /usr/bin/sudo -V",
    ),
    sameOutside(
      "priv",
      "no sandbox with other rules can be entered",
      "/usr/bin/sandbox-exec -p '(version 1)(allow default)' /usr/bin/true",
    ),
    row(
      "priv",
      "an unlisted kernel variable cannot be read",
      sysctl("kern.bootsessionuuid"),
      granted(sysctl("hw.ncpu")),
    ),
    sameWider("services", "no named semaphore can be opened without `python`", onMac(SEMAPHORE)),
    sameOutside("services", "no named shared memory can be opened", onMac(SHARED)),
    sameOutside("services", "no System V shared memory can be opened", onMac(SEGMENT)),
  ]);
}

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * More than a start program is handed by variables: of a program with this word all words stand in the command lines of its launchers
 * too, by which those can be found.
 */
export const IN_LAUNCHERS = "x".repeat(20_000);

/**
 * The pids of the machine's processes whose command line holds any of the texts, or whose variables do, as a start program's hold the
 * words of its program. Ended ones that wait for their parent have none.
 */
export function processesWith(...texts: readonly string[]): readonly number[] {
  return processesWhere((pid) => {
    const said = textOf(`/proc/${pid}/cmdline`) + textOf(`/proc/${pid}/environ`);
    return texts.some((text) => said.includes(text));
  });
}

/** The same of command lines alone, which every user of the machine can read. */
export function commandLinesWith(text: string): readonly number[] {
  return processesWhere((pid) => textOf(`/proc/${pid}/cmdline`).includes(text));
}

function processesWhere(holds: (pid: string) => boolean): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && holds(name))
    .map(Number);
}

/** Those of them that are left when none is expected any more: looks again until the time is up. */
export async function leftAfter(ms: number, ...texts: readonly string[]): Promise<readonly number[]> {
  const until = performance.now() + ms;
  for (;;) {
    const left = processesWith(...texts);
    if (left.length === 0 || performance.now() > until) return left;
    await pause(20);
  }
}

/** What a process is doing, for a reader: its name, state, parent, filter and where it waits. */
export function describeProcess(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const fields = ["Name", "State", "PPid", "NSpid", "Seccomp"].map(
      (name) => `${name} ${new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1] ?? "?"}`,
    );
    return `${pid}: ${fields.join(", ")}, waits in ${readFileSync(`/proc/${pid}/wchan`, "utf8")}`;
  } catch {
    return `${pid}: gone by now`;
  }
}

/** Ends processes that a test left on purpose. */
export function end(pids: readonly number[]): void {
  // Number 0 would be all of our own group, and less than that others.
  for (const pid of pids.filter((one) => one > 0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

/** Empty when it is gone, or another user's. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** Pids inside are small; a process of the host that had a small one could not be told from one of the sandbox. */
export function passSmallPids(): void {
  const line =
    'while [ "$(sh -c "echo \\$\\$")" -lt 3000 ]; do for i in 1 2 3 4 5 6 7 8 9; do (:); done; done';
  spawnSync("/bin/sh", ["-c", line], { stdio: "ignore" });
}

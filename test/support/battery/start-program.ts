import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Duplex } from "node:stream";
import { handOver } from "../../../src/backend/bubblewrap/handed.ts";
import { startScript } from "../../../src/backend/bubblewrap/start-program.ts";
import { goLine } from "../../../src/backend/proxy-way.ts";

/** Every shell of this machine that may be somebody's `sh`, with the words that make it one. */
export const SHELLS: readonly (readonly [string, ...string[]])[] = (
  [["/bin/dash"], ["/bin/bash"], ["/bin/bash", "--posix"], ["/bin/busybox", "sh"], ["/bin/ksh"]] as const
).filter(([path]) => existsSync(path));

const START = 6;

/** How a program behind a start program ended, and what it said. */
export interface Behind {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program behind the start program in one shell: as the first process of a sandbox, without other protections. */
export async function behindStartProgram(
  shell: readonly [string, ...string[]],
  words: readonly string[],
): Promise<Behind> {
  const places = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
  const options = ["--unshare-user", "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session"];
  const { argv, variables } = handOver(words);
  const script = [...shell, "-c", startScript({}, START), "cofferdam", ...argv];
  const child = spawn("/usr/bin/bwrap", [...options, ...places, "--", ...script], {
    stdio: Array.from({ length: START + 1 }, (_, fd) => ([1, 2, START].includes(fd) ? "pipe" : "ignore")),
    env: { PATH: "/usr/bin:/bin", ...Object.fromEntries(variables) },
  });
  const start = child.stdio.at(START);
  if (!(start instanceof Duplex)) throw new Error("no start program");
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  start.once("data", () => start.end(`${goLine(false, null)}\n`));
  const code = await new Promise<number>((resolve) => child.once("close", (status) => resolve(status ?? -1)));
  return { code, ...said };
}

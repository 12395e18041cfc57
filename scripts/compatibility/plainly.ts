import { spawn } from "node:child_process";
import type { Owner } from "./stage.ts";
import type { Attempt } from "./verdict.ts";

/** The start of a program without a sandbox. */
export interface Manner {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly owner: Owner | null;
  /** Ends it, with all that it started in its session. */
  readonly signal: AbortSignal;
}

/** Runs a program as a person would, in a session of its own, so that nothing of it stays. */
export async function runPlainly(
  [program, ...words]: readonly [string, ...string[]],
  { cwd, env, owner, signal }: Manner,
): Promise<Attempt> {
  const child = spawn(program, words, {
    ...{ cwd, env, detached: true, ...owner },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const endAll = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has no process left.
    }
  };
  signal.addEventListener("abort", endAll);
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => parts.push(part));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      // Remaining processes would keep the pipes open.
      child.once("exit", endAll);
      child.once("close", resolve);
    });
    return { isDone: code === 0, said: Buffer.concat(parts).toString(), remedies: [] };
  } finally {
    signal.removeEventListener("abort", endAll);
  }
}

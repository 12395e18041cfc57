import { spawn } from "node:child_process";
import { CALLER, checkoutFor, compileCacheFor, runFile } from "./people.ts";

/** What came of many processes that were killed at random. */
export interface Storm {
  readonly kills: number;
  /** Everything they said but `ready`. */
  readonly said: readonly string[];
}

/** Starts a driver of this folder as a process of its own. */
export function startDriver(name: string, words: readonly string[]) {
  const [program, ...before] = runFile(checkoutFor(CALLER), name);
  return spawn(program, [...before, ...words], {
    env: { NODE_COMPILE_CACHE: compileCacheFor(CALLER) },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Keeps so many processes of one driver at work for so long, each killed at a random instant and followed by another. */
export async function storm(
  name: string,
  words: readonly string[],
  workers: number,
  forMs: number,
): Promise<Storm> {
  const until = performance.now() + forMs;
  const said: string[] = [];
  let kills = 0;
  const dieAgainAndAgain = async (): Promise<void> => {
    while (performance.now() < until) {
      const child = startDriver(name, words);
      child.stdout.on("data", (chunk: Buffer) => {
        const lines = chunk.toString().trim().split("\n");
        said.push(...lines.filter((line) => line !== "ready"));
        if (lines.includes("ready")) setTimeout(() => child.kill("SIGKILL"), 5 + Math.random() * 250);
      });
      await new Promise((resolve) => child.once("close", resolve));
      kills += 1;
    }
  };
  await Promise.all(Array.from({ length: workers }, dieAgainAndAgain));
  return { kills, said };
}

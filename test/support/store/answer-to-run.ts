import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Session } from "../../../src/session/session.ts";

/**
 * From an answer that another process gives to the program that it lets run, in milliseconds, each in turn: the time at
 * which `date` says that it runs, less the one at which the other process began to answer. `session` asks about every
 * command over the store in `file`, and nobody answers it here.
 */
export async function answerTimes(session: Session, file: string, count: number): Promise<readonly number[]> {
  const driver = join(import.meta.dirname, "../battery/answer-driver.ts");
  const child = spawn(process.execPath, [driver, file, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const times: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    const outcome = await session.call("shell", { argv: ["date", "+%s%N"] });
    const answeredAt = Number((await lines.next()).value);
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    times.push(Number(BigInt(outcome.stdout.bytes.toString().trim()) / 1_000n) / 1_000 - answeredAt);
  }
  return times;
}

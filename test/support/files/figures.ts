import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../../src/index.ts";

/** Times of one act, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly p99: number;
}

/** What reading and writing 4 KiB takes: by `fs` in this process, by the file tools, and by a program in a sandbox of its own. */
export interface FileFigures {
  readonly read: Readonly<Record<"plain" | "tool" | "sandbox", Times>>;
  readonly write: Readonly<Record<"plain" | "tool" | "sandbox", Times>>;
}

/** Each way in turn, so that a drift of the machine meets all of them. The sandbox is started for fewer runs: it takes long. */
export async function fileFigures(session: Session, folder: string, runs: number): Promise<FileFigures> {
  const file = join(folder, "figures.txt");
  const content = "x".repeat(4096);
  writeFileSync(file, content);
  const took = { read: timesByWay(), write: timesByWay() };
  for (let run = -Math.ceil(runs / 5); run < runs; run += 1) {
    const isCounted = run >= 0;
    const note = async (list: number[], work: () => unknown): Promise<void> => {
      const began = performance.now();
      await work();
      if (isCounted) list.push(performance.now() - began);
    };
    await note(took.read.plain, () => readFileSync(file, "utf8"));
    await note(took.read.tool, () => expectDone(session.call("read_file", { path: file })));
    await note(took.write.plain, () => {
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
    });
    await note(took.write.tool, () => expectDone(session.call("write_file", { path: file, content })));
    if (run % 10 !== 0) continue;
    await note(took.read.sandbox, () => expectDone(session.call("shell", { argv: ["cat", file] })));
    await note(took.write.sandbox, () =>
      expectDone(session.call("shell", { argv: ["cp", file, `${file}.copy`] })),
    );
  }
  return { read: told(took.read), write: told(took.write) };
}

function timesByWay(): Record<"plain" | "tool" | "sandbox", number[]> {
  return { plain: [], tool: [], sandbox: [] };
}

function told({ plain, tool, sandbox }: ReturnType<typeof timesByWay>): FileFigures["read"] {
  return { plain: summary(plain), tool: summary(tool), sandbox: summary(sandbox) };
}

function summary(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

async function expectDone(call: Promise<{ readonly kind: string }>): Promise<void> {
  const outcome = await call;
  if (outcome.kind !== "done") throw new Error(`a call of the bench is ${outcome.kind}`);
}

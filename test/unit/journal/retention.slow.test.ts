import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeOldRecords } from "../../../src/journal/retention.ts";
import { event, RecordFolder } from "../../support/journal/records.ts";

const CONFIG = "/p/cofferdam.yaml";
const KEEP_MS = 40;

test("no event is lost before its time, however a file is removed below its writer", async () => {
  using folder = new RecordFolder();
  const room = join(import.meta.dirname, "../../../src/journal");
  // Looks behind each write, before it could be too old, and counts what it does not find; twice, as a file that is put back
  // is not there for a moment.
  const script = `
    const { FileJournal } = await import(${JSON.stringify(join(room, "journal.ts"))});
    const { readRun } = await import(${JSON.stringify(join(room, "record.ts"))});
    const folder = ${JSON.stringify(folder.path)};
    const [first, next] = ${JSON.stringify([event(0, "none", CONFIG), event(1, "one")])};
    using journal = new FileJournal(folder, "run");
    const seen = { looks: 0, lost: 0 };
    for (let seq = 0; seq < 70; seq += 1) {
      const began = performance.now();
      journal.write(seq === 0 ? first : { ...next, seq });
      let last = -1;
      for (let tries = 0; tries < 2 && last !== seq; tries += 1)
        try { last = readRun(folder, "run").events.at(-1)?.seq ?? -1; } catch {}
      if (performance.now() - began < ${KEEP_MS / 2}) {
        seen.looks += 1;
        if (last !== seq) seen.lost += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, ${KEEP_MS / 2} + (seq * 7) % ${KEEP_MS}));
    }
    console.log(JSON.stringify(seen));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  let isOver = false;
  const ended = new Promise((resolve) => child.once("close", resolve)).finally(() => (isOver = true));
  while (!isOver) {
    removeOldRecords(folder.path, { config: CONFIG, keepMs: KEEP_MS }, Date.now());
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  const { looks, lost } = JSON.parse(said);
  expect(lost).toBe(0);
  expect(looks).toBeGreaterThan(20);
});

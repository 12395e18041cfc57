import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeOldRecords } from "../../../src/journal/retention.ts";
import { event, RecordFolder } from "../../support/journal/records.ts";

/** Long, so that reading a file's first line leaves time for a write between the first look at its age and the rename. */
const CONFIG = `/${"p".repeat(300_000)}/cofferdam.yaml`;
const KEEP_MS = 40;

test("no event is lost before its time, however a file is removed below its writer", async () => {
  using folder = new RecordFolder();
  const room = join(import.meta.dirname, "../../../src/journal");
  // Reads the record after each write, before the event could be too old. While a removal checks its file again, that file
  // is at `.aside` only, for as long as that process gets no processor time: an event is lost if no read of either place
  // finds it. Too few reads in time decide nothing.
  const script = `
    const { FileJournal } = await import(${JSON.stringify(join(room, "journal.ts"))});
    const { readRun } = await import(${JSON.stringify(join(room, "record.ts"))});
    const { readdirSync, readFileSync } = await import("node:fs");
    const folder = ${JSON.stringify(folder.path)};
    const [first, next] = ${JSON.stringify([event(0, "none", CONFIG), event(1, "one")])};
    using journal = new FileJournal(folder, "run");
    const seen = { looks: 0, lost: 0 };
    const isRecorded = (seq) => {
      try { return readRun(folder, "run").events.at(-1)?.seq === seq; } catch { return false; }
    };
    const isAside = (seq) => readdirSync(folder).filter((name) => name.endsWith(".aside")).some((name) => {
      try { return readFileSync(folder + "/" + name, "utf8").includes('"seq":' + seq + ","); } catch { return false; }
    });
    for (let seq = 0; seq < 70; seq += 1) {
      const began = performance.now();
      journal.write(seq === 0 ? first : { ...next, seq });
      const isEarly = () => performance.now() - began < ${KEEP_MS / 2};
      let reads = 0;
      let isFound = false;
      while (!isFound && reads < 20 && isEarly()) {
        isFound = isRecorded(seq) || isAside(seq);
        reads += 1;
      }
      if (isFound || (reads === 20 && isEarly())) seen.looks += 1;
      if (!isFound && reads === 20 && isEarly()) seen.lost += 1;
      await new Promise((resolve) => setTimeout(resolve, seq % 2 ? ${KEEP_MS / 2} + (seq * 7) % ${KEEP_MS} : ${KEEP_MS} + seq % 5));
    }
    console.log(JSON.stringify(seen));
  `;
  const child = spawn(process.execPath, ["--input-type=module"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(script);
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

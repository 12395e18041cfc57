import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRun } from "../../../src/journal/record.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { event, RecordFolder } from "../../support/journal/records.ts";

const KILLS = 8;

test("journal.chain: a record whose writer is killed at any instant holds, with every event that was written", async () => {
  using folder = new RecordFolder();
  const source = join(import.meta.dirname, "../../../src/journal/journal.ts");
  for (let kill = 0; kill < KILLS; kill += 1) {
    const run = `run-${kill}`;
    // Long lines and short files: what a kill meets is mostly a write, or the beginning of a file.
    const script = `
      import { writeSync } from "node:fs";
      const { FileJournal } = await import(${JSON.stringify(source)});
      const journal = new FileJournal(${JSON.stringify(folder.path)}, ${JSON.stringify(run)}, { segmentBytes: 50_000 });
      const event = ${JSON.stringify(event(1, "x".repeat(16_000)))};
      for (let seq = 0; ; seq += 1) {
        journal.write({ ...event, seq });
        writeSync(1, ${JSON.stringify("\n")} + seq);
      }
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      if (said === "") setTimeout(() => child.kill("SIGKILL"), Math.random() * 30);
      said += chunk.toString();
    });
    await new Promise((resolve) => child.once("close", resolve));
    const result = verifyRun(folder.path, run);
    expect([run, result.kind]).toEqual([run, "holds"]);
    const { events } = readRun(folder.path, run);
    expect(result.lines).toBe(events.length);
    const places = events.flatMap(({ type, seq }) => (type === "approval.failed" ? [seq] : []));
    // The last number may be cut itself.
    const told = said.split("\n").slice(1, -1).length;
    expect(places.length).toBeGreaterThanOrEqual(told);
    expect(places).toEqual([...places.keys()]);
  }
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPlainFile, readPlainText } from "../../../src/host/look/plain-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plain-file-"));
  writeFileSync(join(folder, "file"), "text");
  mkdirSync(join(folder, "folder"));
  spawnSync("mkfifo", [join(folder, "fifo")]);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a plain file is read, as far as it had been written when it was opened", () => {
  expect(readPlainText(join(folder, "file"), 4)).toBe("text");
  expect(readPlainText(join(folder, "file"), 3)).toBeNull();
  using file = openPlainFile(join(folder, "file"));
  writeFileSync(join(folder, "file"), "text and more");
  expect(Buffer.from(file?.read() ?? []).toString()).toBe("text");
});

test("what is not a regular file is nothing: a folder, a device, a FIFO that nobody writes to", () => {
  for (const path of [join(folder, "folder"), join(folder, "fifo"), "/dev/zero"])
    expect(openPlainFile(path)).toBeNull();
});

test("a FIFO that is put in the place of a file makes nobody wait", async () => {
  const path = join(folder, "path");
  symlinkSync("file", path);
  const script = `const { renameSync, symlinkSync, writeSync } = require("node:fs");
    writeSync(1, "ready");
    for (;;) for (const kind of ["fifo", "file"]) { symlinkSync(kind, "next"); renameSync("next", "path"); }`;
  const swapper = spawn(process.execPath, ["-e", script], { cwd: folder });
  await once(swapper.stdout, "data");
  const counts = new Map<string | null, number>();
  const isEnough = (): boolean => ["text", null].every((one) => (counts.get(one) ?? 0) >= 1_000);
  const end = performance.now() + 20_000;
  while (!isEnough() && performance.now() < end) {
    const text = readPlainText(path, 100);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const isOver = once(swapper, "close");
  swapper.kill("SIGKILL");
  await isOver;
  expect(new Set(counts.keys())).toEqual(new Set(["text", null]));
});

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPlainFile, readPlainText } from "../../../src/host/plain-file.ts";

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

test("what is no plain file is nothing: a folder, a device, a FIFO that nobody writes to", () => {
  for (const path of [join(folder, "folder"), join(folder, "fifo"), "/dev/zero"])
    expect(openPlainFile(path)).toBeNull();
});

test("a FIFO that is put in the place of a file makes nobody wait", async () => {
  const path = join(folder, "path");
  symlinkSync("file", path);
  const script = `const { renameSync, symlinkSync } = require("node:fs");
    for (;;) for (const kind of ["fifo", "file"]) { symlinkSync(kind, "next"); renameSync("next", "path"); }`;
  const swapper = spawn(process.execPath, ["-e", script], { cwd: folder });
  const seen = new Set<string | null>();
  const end = Date.now() + 1500;
  while (Date.now() < end) seen.add(readPlainText(path, 100));
  const isOver = new Promise((resolve) => swapper.once("close", resolve));
  swapper.kill("SIGKILL");
  await isOver;
  expect(seen).toEqual(new Set(["text", null]));
});

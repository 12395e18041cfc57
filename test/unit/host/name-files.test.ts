import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readNameFiles, textAt } from "../../../src/host/look/name-files.ts";

const folder = mkdtempSync(join(tmpdir(), "name-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);

test("a file that everybody may read is read, also through links; another is none", () => {
  writeFileSync(place("stub"), "nameserver 127.0.0.53\n");
  symlinkSync("stub", place("resolv.conf"));
  expect(textAt(place("resolv.conf"))).toBe("nameserver 127.0.0.53\n");
  symlinkSync("nowhere", place("lost"));
  spawnSync("mkfifo", [place("fifo")]);
  writeFileSync(place("secret"), "nameserver 127.0.0.53\n");
  chmodSync(place("secret"), 0o600);
  expect(["lost", "fifo", "secret", "."].map((name) => textAt(place(name)))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test("a file that is too long ends at a whole line", () => {
  writeFileSync(place("long"), `${"127.0.0.1 a\n".repeat(1_400_000)}127.0.0.1 b`);
  const text = textAt(place("long")) ?? "";
  expect([text.length <= 16 * 1024 ** 2, text.endsWith("127.0.0.1 a\n")]).toEqual([true, true]);
  truncateSync(place("long"), 0);
  expect(textAt(place("long"))).toBe("");
});

test("this machine has hosts", () => {
  expect(readNameFiles().hosts).toMatch(/localhost/);
});

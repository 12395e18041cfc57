import { closeSync, fstatSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { openKept } from "../../../src/host/kept-bytes.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The rest of the text behind a descriptor, which file it is of, and how many names that has. */
function readAndClose(fd: number | null): {
  readonly text: string;
  readonly file: string;
  readonly links: number;
} {
  if (fd === null) throw new Error("nothing was opened");
  const { dev, ino, nlink } = fstatSync(fd);
  const text = readFileSync(fd, "utf8");
  closeSync(fd);
  return { text, file: `${dev}:${ino}`, links: nlink };
}

test("the same bytes are one file without a name, read from its start each time", () => {
  const first = readAndClose(openKept(bytes("root:x:0\n")));
  const again = readAndClose(openKept(bytes("root:x:0\n")));
  expect(first).toEqual({ text: "root:x:0\n", file: first.file, links: 0 });
  expect(again).toEqual(first);
  const other = readAndClose(openKept(bytes("root:x:1\n")));
  expect(other.text).toBe("root:x:1\n");
  expect(other.file).not.toBe(first.file);
});

test("nothing can be written by what is handed out", () => {
  const fd = openKept(bytes("kept")) ?? -1;
  expect(() => writeSync(fd, "gone")).toThrow("EBADF");
  expect(fstatSync(fd).mode & 0o777).toBe(0o400);
  expect(readAndClose(fd).text).toBe("kept");
});

test("more than 64 KiB are not kept, and of many contents no more than 32 stay open", () => {
  expect(openKept(new Uint8Array(64 * 1024 + 1))).toBeNull();
  expect(readAndClose(openKept(new Uint8Array(64 * 1024))).text).toHaveLength(64 * 1024);
  const before = readdirSync("/proc/self/fd").length;
  for (let at = 0; at < 100; at += 1)
    expect(readAndClose(openKept(bytes(`content ${at}`))).text).toBe(`content ${at}`);
  expect(readdirSync("/proc/self/fd").length - before).toBeLessThanOrEqual(32);
});

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_SOCKET_LENGTH, shortPlace } from "../../../../src/host/launch/mac/short-place.ts";
import { type AbsolutePath, knownPath } from "../../../../src/profile/path.ts";

let top: AbsolutePath;
beforeEach(() => {
  top = knownPath(mkdtempSync(join(realpathSync(tmpdir()), "short-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("a folder is taken where a socket fits below it, else one for temporary files", () => {
  const behind = "/socket".length;
  const long = knownPath(join(top, "x".repeat(MAX_SOCKET_LENGTH - behind - top.length)));
  mkdirSync(long);
  const just = knownPath(long.slice(0, -1));
  mkdirSync(just);
  expect(Buffer.byteLength(`${just}/socket`)).toBe(MAX_SOCKET_LENGTH);
  expect(shortPlace(behind, just)).toBe(just);
  expect(shortPlace(behind, long)).toBe(realpathSync(tmpdir()));
  expect(shortPlace(behind, knownPath("/nonexistent"), just)).toBe(just);
  expect(shortPlace(MAX_SOCKET_LENGTH, just)).toBeNull();
});

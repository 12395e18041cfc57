import { lchownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { thisHost } from "../../../src/host/look/host.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cofferdam-home-"));
  vi.stubEnv("HOME", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

test("profiles also come from the home that HOME names, where no user database may know one", () => {
  const { operatorFolders, user } = thisHost();
  expect(operatorFolders).toEqual([
    "/etc/cofferdam/profiles.d",
    `${home}/.config/cofferdam/profiles.d`,
    `${user.listedHome}/.config/cofferdam/profiles.d`,
  ]);
});

test.skipIf(process.getuid?.() !== 0)("another user's home is not this one's, as under `sudo -E`", () => {
  lchownSync(home, 1001, 1001);
  const { operatorFolders, user } = thisHost();
  expect(operatorFolders).toEqual(["/etc/cofferdam/profiles.d", `${user.home}/.config/cofferdam/profiles.d`]);
});

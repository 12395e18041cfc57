import { expect, it } from "vitest";
import { absolutePath } from "../../../src/profile/path.ts";
import { CLOSED, normalProfile, OPEN, type Profile } from "../../../src/profile/profile.ts";
import { printShortfall, shortfall } from "../../../src/profile/shortfall.ts";

const NEED: Profile = normalProfile({
  files: [
    { path: absolutePath("/w"), access: "write", suffixes: "any" },
    { path: absolutePath("/usr"), access: "read", suffixes: "any" },
  ],
  network: { hosts: [{ name: "a.test", port: 443, private: false }], never: [] },
  sockets: [absolutePath("/run/a.sock")],
  env: ["LANG", "LC_*"],
  terminal: true,
  syscalls: ["debug", "abi32"],
  devices: ["kvm", "fuse"],
  macos: ["tls", "python"],
  limits: { processes: 8, wallMs: 1000 },
});

const told = (granted: Profile): readonly string[] => shortfall(NEED, granted).map(printShortfall);

it("nothing falls short of a need that was granted whole", () => {
  expect([told(OPEN), told(NEED)]).toEqual([[], []]);
});

it("what was asked for and not granted is told clause by clause", () => {
  expect(
    told({
      ...CLOSED,
      files: [{ path: absolutePath("/w"), access: "read", suffixes: "any" }],
      env: ["LC_*"],
      syscalls: ["abi32"],
      devices: ["fuse"],
      macos: ["python"],
      limits: { processes: 4 },
    }),
  ).toEqual([
    "`/usr`: needs read, but none is granted",
    "`/w`: needs write, but read is granted",
    "network: a.test:443 is not granted",
    "sockets: /run/a.sock is not granted",
    "env: LANG is not granted",
    "terminal: a terminal is not granted",
    "syscalls: debug (trace and change its other processes) is not granted",
    "devices: kvm (run virtual machines with /dev/kvm) is not granted",
    "macos: tls (let the system check certificates, which may fetch URLs that they name) is not granted",
    "limits: processes is not granted",
  ]);
});

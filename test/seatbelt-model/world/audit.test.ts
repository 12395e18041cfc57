import { describe, expect, test } from "vitest";
import type { Change } from "./audit.ts";
import { type Kernel, LAX, LAX_BUT_LINKS, LIKELY } from "./kernel.ts";
import type { Judge } from "./perform.ts";
import { runSequence } from "./run-sequence.ts";
import { type Planted, worldOf } from "./spec.ts";
import type { Syscall } from "./syscall.ts";

const NFC = "caf\u00e9";
const NFD = "cafe\u0301";

const PLANTED: readonly Planted[] = [
  { path: "/w/p/secret", kind: "file", bytes: "MARKER" },
  { path: "/w/p/kept", kind: "file", bytes: "kept" },
  { path: `/w/${NFC}`, kind: "file", bytes: "MARKER" },
  { path: "/w/own", kind: "file", bytes: "own" },
  { path: "/out/plain", kind: "file", bytes: "plain" },
];
const start = worldOf(PLANTED, { cwd: "/w" });
const watch = { secrets: ["MARKER"], protects: ["/w/p/kept", "/w/.hooks"] };

/** Says no to these operations on these paths, and yes to all else. */
const denying =
  (operations: readonly string[], paths: readonly string[]): Judge =>
  ({ operation, path }) =>
    !(path !== undefined && operations.includes(operation) && paths.includes(path));

const all =
  (...judges: readonly Judge[]): Judge =>
  (query) =>
    judges.every((judge) => judge(query));

const WRITES = ["file-write-data", "file-write-create", "file-write-unlink"];
const secretByPath = denying(["file-read-data"], ["/w/p/secret", `/w/${NFC}`]);
const keptByPath = denying(WRITES, ["/w/p/kept"]);
const pinned = denying(
  ["file-write-unlink", "file-write-create"],
  ["/w", "/w/p", "/w/p/secret", "/w/p/kept"],
);

const audited = (calls: readonly Syscall[], judge: Judge, kernel: Kernel = LIKELY) =>
  runSequence(start, calls, judge, { kernel, watch }).audit;
const seen = (calls: readonly Syscall[], judge: Judge, kernel?: Kernel) =>
  audited(calls, judge, kernel).seen.map(({ step }) => step);
const changed = (calls: readonly Syscall[], judge: Judge, kernel?: Kernel) =>
  audited(calls, judge, kernel).changed.map(({ path, aspect, step }) => `${step}: ${aspect} ${path}`);

const rename = (from: string, to: string): Syscall => ({ call: "rename", from, to });
const reading = (path: string): readonly Syscall[] => [
  { call: "open", path, access: "read" },
  { call: "read", descriptor: "newest" },
];
const writing = (path: string): readonly Syscall[] => [
  { call: "open", path, access: "write", creates: "or-opens" },
  { call: "write", descriptor: "newest", bytes: "XXXX" },
];

describe("a judge that refuses a secret's path alone", () => {
  test.each([["p/secret"], ["/w/../w//p/./secret"], ["P/Secret"], [NFC], [NFD], [NFD.toUpperCase()]])(
    "keeps it when it is read as %s",
    (path) => {
      expect(seen(reading(path), secretByPath)).toEqual([]);
    },
  );

  test.each([
    ["its folder is renamed", [rename("p", "q"), ...reading("q/secret")]],
    ["it is renamed", [rename("p/secret", "q"), ...reading("q")]],
    ["it is exchanged", [{ call: "swap", from: "p/secret", to: "own" }, ...reading("own")]],
    ["it has a second name", [{ call: "link", from: "p/secret", to: "q" }, ...reading("q")]],
    ["its folder is renamed and back", [rename("p", "q"), ...reading("q/secret"), rename("q", "p")]],
  ] satisfies (readonly [string, readonly Syscall[]])[])("loses it when %s", (_how, calls) => {
    expect(seen(calls, secretByPath)).toEqual([calls.findIndex(({ call }) => call === "read")]);
  });

  test("keeps it behind a link that leads to it", () => {
    const calls: readonly Syscall[] = [{ call: "symlink", target: "p/secret", path: "l" }, ...reading("l")];
    expect(seen(calls, secretByPath)).toEqual([]);
  });

  test("loses it to a clone, where that does not ask about reading", () => {
    const calls: readonly Syscall[] = [{ call: "clonefile", from: "p/secret", to: "q" }, ...reading("q")];
    expect(seen(calls, secretByPath)).toEqual([]);
    expect(seen(calls, secretByPath, { ...LIKELY, cloneChecks: "clone" })).toEqual([2]);
  });

  test("loses it to a clone of its folder, where there is such a thing", () => {
    const calls: readonly Syscall[] = [{ call: "clonefile", from: "p", to: "q" }, ...reading("q/secret")];
    expect(seen(calls, secretByPath, { ...LAX_BUT_LINKS, clonesFolders: true })).toEqual([2]);
    expect(seen(calls, secretByPath, LAX_BUT_LINKS)).toEqual([]);
  });
});

describe("a judge that refuses unlink and create on the folders above, too", () => {
  const judge = all(secretByPath, pinned);

  test.each([
    ["its folder's rename", [rename("p", "q"), ...reading("q/secret")]],
    ["the rename of a folder further up", [rename("/w", "/v"), ...reading("/v/p/secret")]],
    ["its rename", [rename("p/secret", "q"), ...reading("q")]],
    ["an exchange", [{ call: "swap", from: "own", to: "p/secret" }, ...reading("own")]],
  ] satisfies (readonly [string, readonly Syscall[]])[])("keeps it through %s", (_how, calls) => {
    expect(seen(calls, judge)).toEqual([]);
    expect(seen(calls, judge, LAX)).toEqual([]);
  });

  test("loses it to a hard link, where only the new name is asked about", () => {
    const calls: readonly Syscall[] = [{ call: "link", from: "p/secret", to: "q" }, ...reading("q")];
    const noLinks = all(judge, denying(["file-link"], ["/w/p/secret"]));
    expect(seen(calls, noLinks)).toEqual([]);
    expect(seen(calls, noLinks, { ...LIKELY, linkChecks: "destination-only" })).toEqual([2]);
  });
});

describe("a judge that refuses writes to a path alone", () => {
  test.each([
    ["its path", writing("p/kept"), []],
    ["another spelling", writing("P/KEPT"), []],
    ["a link to it", [{ call: "symlink", target: "p/kept", path: "l" }, ...writing("l")], []],
    ["a rename over it", [rename("own", "p/kept")], []],
    [
      "its folder, which is renamed and back",
      [rename("p", "q"), ...writing("q/kept"), rename("q", "p")],
      ["0: location /w/p/kept", "2: bytes /w/p/kept"],
    ],
    ["a second name", [{ call: "link", from: "p/kept", to: "q" }, ...writing("q")], ["2: bytes /w/p/kept"]],
    [
      "a link in its folder's place",
      [rename("p", "q"), { call: "mkdir", path: "r" }, { call: "symlink", target: "r", path: "p" }],
      ["0: location /w/p/kept"],
    ],
    ["its mode", [{ call: "chmod", path: "p/kept", mode: 0o777 }], ["0: mode /w/p/kept"]],
  ] satisfies (readonly [string, readonly Syscall[], readonly string[]])[])(
    "is asked by %s",
    (_how, calls, expected) => {
      expect(changed(calls, keptByPath)).toEqual(expected);
    },
  );

  test("loses it to a rename that replaces it in another spelling, where the kernel asks by that", () => {
    const calls = [rename("own", "p/KEPT")];
    expect(changed(calls, keptByPath)).toEqual([]);
    expect(changed(calls, keptByPath, LAX)).toEqual(["0: location /w/p/kept"]);
  });

  test("loses it to an exchange from elsewhere, where that asks as a rename does", () => {
    const judge = denying(["file-write-unlink"], ["/w/p/kept"]);
    const calls: readonly Syscall[] = [{ call: "swap", from: "own", to: "p/kept" }];
    expect(changed(calls, judge)).toEqual([]);
    expect(changed(calls, judge, LAX)).toEqual(["0: location /w/p/kept"]);
  });
});

describe("a path at which nothing stands", () => {
  const noHooks = denying(["file-write-create"], ["/w/.hooks"]);

  test.each([
    ["is made", [{ call: "mkdir", path: ".Hooks" }]],
    ["is moved there", [rename("p", ".hooks")]],
    ["is linked there", [{ call: "symlink", target: "p", path: ".hooks" }]],
  ] satisfies (readonly [string, readonly Syscall[]])[])("is filled when something %s", (_how, calls) => {
    expect(changed(calls, () => true).at(-1)).toBe("0: appeared /w/.hooks");
  });

  test("stays free when making it is refused, in the spelling that was asked for", () => {
    expect(changed([{ call: "mkdir", path: ".hooks" }], noHooks)).toEqual([]);
    expect(changed([{ call: "mkdir", path: ".HOOKS" }], noHooks)).toEqual(["0: appeared /w/.hooks"]);
  });
});

describe("a descriptor", () => {
  const denied = denying(["file-read-data"], ["/w/p/moved"]);

  test("that was opened where it was allowed reads on after a rename to where it is not", () => {
    const calls: readonly Syscall[] = [
      { call: "open", path: "p/secret", access: "read" },
      rename("p/secret", "p/moved"),
      { call: "read", descriptor: "newest" },
    ];
    expect(seen(calls, denied)).toEqual([2]);
  });

  test("of a folder opens by the name that the folder has then", () => {
    const calls: readonly Syscall[] = [
      { call: "open", path: "p", access: "read" },
      rename("p", "q"),
      { call: "open", path: "secret", access: "read", at: "newest" },
      { call: "read", descriptor: "newest" },
    ];
    expect(seen(calls, secretByPath)).toEqual([3]);
    expect(seen(calls, all(secretByPath, pinned))).toEqual([]);
  });
});

describe("the host finds", () => {
  const retarget: readonly Syscall[] = [
    { call: "unlink", path: "/w/current" },
    { call: "symlink", target: "/w/p", path: "/w/current" },
  ];

  test("another file behind a link that was retargeted", () => {
    const world = worldOf([...PLANTED, { path: "/w/current", kind: "symlink", target: "/out" }]);
    const { audit } = runSequence(world, retarget, () => true, {
      watch: { protects: ["/w/current/plain"] },
    });
    expect(audit.changed.map(({ aspect, step }) => `${step}: ${aspect}`)).toEqual(["0: location"]);
  });

  test("each thing below a protected folder that is not as it was", () => {
    const { audit, world } = runSequence(
      start,
      [...writing("p/kept"), { call: "unlink", path: "p/secret" }],
      () => true,
      { watch: { protects: ["/w/p"] } },
    );
    const found: readonly Change[] = audit.changed.map(({ path, aspect }) => ({ path, aspect }));
    expect(found).toEqual([
      { path: "/w/p/kept", aspect: "bytes" },
      { path: "/w/p", aspect: "names" },
      { path: "/w/p/secret", aspect: "location" },
    ]);
    expect(world.version).toBeGreaterThan(start.version);
  });
});

test("a run leaves its start as it was, and logs how each call ended", () => {
  const before = new Map(start.nodes);
  const { log } = runSequence(start, [rename("own", "x"), rename("own", "y")], () => true, { watch });
  expect(log.map(({ result }) => result)).toEqual([
    { kind: "done", returned: { is: "nothing" } },
    { kind: "fails", errno: "ENOENT" },
  ]);
  expect([start.nodes, start.cwd === start.root]).toEqual([before, false]);
});

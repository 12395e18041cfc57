import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallWatches, type WatchedCall } from "../../../src/host/launch/call-watches.ts";
import { absolutePath } from "../../../src/profile/path.ts";

let state: string;
let watches: CallWatches;
beforeEach(() => {
  state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-watches-")));
  watches = new CallWatches(absolutePath(state));
});
afterEach(() => {
  watches[Symbol.dispose]();
  rmSync(state, { recursive: true, force: true });
});

const profile = Buffer.from("what it ran under");

function call(callId: string, more: Partial<WatchedCall> = {}): WatchedCall {
  const before = {
    hits: [absolutePath("/a/.envrc")],
    gitLinks: [],
    strayLinks: [],
    treeStates: new Map(),
    unsearched: [],
    repositories: [],
  };
  const from = { sessionId: "session", callId, tool: "shell", workspace: "/a", beganAt: 1 };
  return { ...from, appeared: "ask", watched: ["1:2:/a/l"], profile, before, ...more };
}

const names = (): readonly string[] => readdirSync(join(state, "watched"));

/** As it is once the process that wrote it has ended. */
function end(name: string): string {
  const ended = name.replace(/^\d+\.\d+/, "4194305.1");
  renameSync(join(state, "watched", name), join(state, "watched", ended));
  return ended;
}

test("a call is written down while it runs, and a file is used again by the next one", () => {
  const first = watches.begin(call("first"));
  const [name = ""] = names();
  expect(readFileSync(join(state, "watched", name), "utf8")).toContain('"callId":"first"');
  first[Symbol.dispose]();
  expect(readFileSync(join(state, "watched", name), "utf8")).toMatch(/^what it ran under\0\0/);
  using _second = watches.begin(call("b"));
  expect(names()).toEqual([name]);
  using _third = watches.begin(call("third", { profile: Buffer.from("another") }));
  expect(names()).toHaveLength(2);
  expect(watches.leftBehind()).toEqual([]);
});

test("nothing is left once calls and the supervisor have ended, in whatever order", () => {
  const [first, second] = [watches.begin(call("first")), watches.begin(call("second"))];
  first[Symbol.dispose]();
  expect(names()).toHaveLength(2);
  watches[Symbol.dispose]();
  expect(names()).toHaveLength(1);
  second[Symbol.dispose]();
  expect(names()).toEqual([]);
});

test("a call of a process that was killed is found, whole, until it was seen to; one that had ended is not", () => {
  watches.begin(call("long", { tool: "x".repeat(500) }))[Symbol.dispose]();
  const { leave } = watches.begin(call("killed"));
  leave();
  const ended = end(names()[0] ?? "");
  const [left, ...others] = watches.leftBehind();
  expect(others).toEqual([]);
  expect(left?.call).toEqual(call("killed"));
  // Its processes may go on for a moment.
  expect(left?.forget).toBeNull();
  const file = join(state, "watched", ended);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"endedBy":\d+/, '"endedBy":1'));
  watches.leftBehind()[0]?.forget?.();
  expect(names()).toEqual([]);
  watches.begin(call("done"))[Symbol.dispose]();
  end(names()[0] ?? "");
  expect(watches.leftBehind()).toEqual([]);
  expect(names()).toEqual([]);
});

test("by when a call was over is told from its last sign of life, which it gives while it runs", async () => {
  const file = (): string => join(state, "watched", names()[0] ?? "");
  watches.begin(call("killed"));
  const longAgo = new Date(1_000_000);
  utimesSync(file(), longAgo, longAgo);
  await vi.waitFor(() => expect(statSync(file()).mtimeMs).toBeGreaterThan(Date.now() - 60_000), 10_000);
  watches.begin(call("other")).leave();
  const seenAt = statSync(file()).mtimeMs;
  for (const name of names()) end(name);
  const overBy = () => watches.leftBehind().map((left) => left.overBy);
  const [first = 0, second] = overBy();
  expect(first).toBeGreaterThanOrEqual(seenAt);
  expect(first).toBeLessThan(seenAt + 60_000);
  // It stays the same, also where that was written down, and the file is another.
  expect(overBy()).toEqual([first, second]);
});

test("a call was over when its process ended, where a file tells when; not one that had ended before", () => {
  const [held, left] = [watches.begin(call("held")), watches.begin(call("left"))];
  left.leave();
  const before = Date.now();
  for (const name of names()) end(name);
  const later = new Date(before + 60_000);
  writeFileSync(join(state, "watched/4194305.1.end"), "");
  utimesSync(join(state, "watched/4194305.1.end"), later, later);
  const overBy = (callId: string) => watches.leftBehind().find((one) => one.call.callId === callId)?.overBy;
  expect(overBy("held")).toBeGreaterThanOrEqual(later.getTime());
  expect(overBy("left")).toBeLessThan(later.getTime());
  held.leave();
});

test("what tells the end of a process goes with its last call", () => {
  const told = join(state, "watched/4194305.1.end");
  watches.begin(call("killed")).leave();
  end(names()[0] ?? "");
  writeFileSync(told, "");
  watches.leftBehind();
  expect(names()).toHaveLength(2);
  for (const name of names()) if (name.endsWith(".json")) rmSync(join(state, "watched", name));
  watches.leftBehind();
  expect(names()).toEqual([]);
});

test("the end of a process is told by nobody where no call was cut off", async () => {
  const watch = watches.begin(call("long"));
  await pause(1_500);
  watches[Symbol.dispose]();
  watch[Symbol.dispose]();
  await pause(300);
  expect(names()).toEqual([]);
});

test("what can't be read stays, and the file of a folder that somebody removed is made anew", () => {
  watches.begin(call("first"))[Symbol.dispose]();
  rmSync(join(state, "watched"), { recursive: true });
  using _second = watches.begin(call("second"));
  expect(names()).toHaveLength(1);
  writeFileSync(join(state, "watched/4194305.1.1.json"), 'profile\0{"of":"another version"}');
  expect(watches.leftBehind()).toEqual([]);
  expect(names()).toHaveLength(2);
});

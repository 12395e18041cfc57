import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type LogWatch,
  ViolationLog,
  type ViolationReport,
} from "../../../../src/host/launch/mac/violation-log.ts";
import { isRunning, processAt } from "../../../../src/host/launch/process-id.ts";
import { type AbsolutePath, knownPath } from "../../../../src/profile/path.ts";
import { heldBytes } from "../../../support/held-bytes.ts";
import { HEADER, kernelLine, now, standIn } from "./log-lines.ts";

const TAG = "cofferdam-0123456789abcdef";
const OTHER_TAG = "cofferdam-fedcba9876543210";
const HANG = "exec sleep 600";
const READ = `cat said; ${HANG}`;
const FOLLOW = "exec tail -n +1 -f said";

/** So long a busy machine may take for what another does in a moment. */
const PATIENT = { timeout: 20_000 };

/** A log that is ended with the test. */
function logOf(program: AbsolutePath): ViolationLog {
  const log = new ViolationLog(program);
  onTestFinished(async () => log[Symbol.asyncDispose]());
  return log;
}

/** A watch that begins when the log is read, or is not in time. */
async function ready(log: ViolationLog, tag: string): Promise<LogWatch> {
  using _first = log.watch("cofferdam-0000000000000000");
  await log.isReady();
  return log.watch(tag);
}

const refused = (target: string, tag: string, pid = 7): string =>
  kernelLine(`Sandbox: sh(${pid}) deny(1) file-read-data ${target}\n${tag}`, { timestamp: now() });

function targetsOf(told: ViolationReport): readonly (string | null)[] {
  return told.kind === "reported" ? told.sightings.map(({ violation }) => violation.target) : [];
}

/** Every process of a stand-in, by the pids that it wrote down. */
function pidsIn(folder: string): readonly number[] {
  return readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
}

function leftIn(folder: string): readonly number[] {
  return pidsIn(folder).filter((pid) => {
    const found = processAt(pid);
    return found === null ? isThere(pid) : isRunning(found);
  });
}

/** Where there is no `/proc`. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("what was refused to a call", () => {
  it("is told, also what comes after its program's end, and nothing of another call's", async () => {
    const { log, folder } = standIn(FOLLOW, [HEADER]);
    const violations = logOf(log);
    using own = await ready(violations, TAG);
    using other = await ready(violations, OTHER_TAG);
    appendFileSync(join(folder, "said"), `${refused("/own", TAG)}\n${refused("/other", OTHER_TAG)}\n`);
    const late: string[] = [];
    // A busy machine may bring it too late now and then, but not each time.
    const told = await vi.waitFor(async () => {
      const telling = own.collect([]);
      late.push(`/late-${late.length}`);
      appendFileSync(join(folder, "said"), `${refused(late.at(-1) ?? "", TAG)}\n`);
      expect(targetsOf(await telling)).toEqual(["/own", ...late]);
      return telling;
    }, PATIENT);
    expect(told).toMatchObject({ kind: "reported", hasGaps: false });
    expect(targetsOf(await other.collect([]))).toEqual(["/other"]);
    expect(pidsIn(folder)).toHaveLength(1);
  });

  it("is told by one stream for all calls, that is started by the first one", async () => {
    const { log, folder } = standIn(READ, [HEADER]);
    const violations = logOf(log);
    expect(() => pidsIn(folder)).toThrow("ENOENT");
    for (const tag of [TAG, OTHER_TAG]) {
      using watch = await ready(violations, tag);
      expect(await watch.collect([])).toEqual({ kind: "reported", sightings: [], hasGaps: false });
    }
    expect(pidsIn(folder)).toHaveLength(1);
  });

  it("is told without a tag where its processes are known", async () => {
    const { log, folder } = standIn(FOLLOW, [HEADER]);
    using watch = await ready(logOf(log), TAG);
    const untagged = kernelLine("Sandbox: sh(7) deny(1) signal", { timestamp: now() });
    appendFileSync(join(folder, "said"), `${untagged}\n${untagged.replace("sh(7)", "sh(8)")}\n`);
    await expect
      .poll(() => watch.collect(new Set([8])), PATIENT)
      .toMatchObject({ sightings: [{ violation: { pid: 8, operation: "signal" }, by: "process" }] });
  });
});

describe("a log that", () => {
  it("is not there keeps no call, and why is told", async () => {
    const violations = logOf(knownPath("/nowhere/log"));
    using watch = await ready(violations, TAG);
    expect(await watch.collect([])).toEqual({ kind: "absent", reason: "/nowhere/log could not be started" });
  });

  it.each([
    [1, ""],
    [64, ": it does not run in a sandbox"],
    [77, ": only administrators may read the log"],
  ])("refuses with status %i is started once more and no more, and why is told", async (status, why) => {
    const { log, folder } = standIn(`exit ${status}`);
    const violations = logOf(log);
    using watch = await ready(violations, TAG);
    await expect.poll(() => pidsIn(folder).length, PATIENT).toBe(2);
    const reason = `\`${log}\` ended with status ${status}${why}`;
    await expect.poll(() => watch.collect([]), PATIENT).toEqual({ kind: "absent", reason });
    using again = await ready(violations, OTHER_TAG);
    expect(await again.collect([])).toEqual({ kind: "absent", reason });
    expect(pidsIn(folder)).toHaveLength(2);
  });

  it("ends early is started again, and what may have been missed is said", async () => {
    const { log, folder } = standIn(`cat said; [ -e ended ] && ${HANG}; : >ended`, [HEADER]);
    const violations = logOf(log);
    using watch = await ready(violations, TAG);
    await expect.poll(() => pidsIn(folder).length, PATIENT).toBe(2);
    await expect
      .poll(() => watch.collect([]), PATIENT)
      .toEqual({ kind: "reported", sightings: [], hasGaps: true });
    using later = await ready(violations, OTHER_TAG);
    expect(await later.collect([])).toEqual({ kind: "reported", sightings: [], hasGaps: false });
  });

  it("says nothing holds up no call", async () => {
    const { log } = standIn(HANG);
    const violations = logOf(log);
    using watch = violations.watch(TAG);
    using other = violations.watch(OTHER_TAG);
    const reason = `\`${log}\` did not begin to read in time`;
    const order: string[] = [];
    const isReady = violations.isReady().finally(() => order.push("given up"));
    const told = await watch.collect([]).finally(() => order.push("reported"));
    expect([told, await other.collect([])]).toEqual([
      { kind: "absent", reason },
      { kind: "absent", reason },
    ]);
    expect([await isReady, order]).toEqual([false, ["reported", "given up"]]);
  });

  it("says garbage is read past", async () => {
    const { log } = standIn(READ, ["{", "[]", "null", HEADER, "\u0000", refused("/own", TAG), "{}"]);
    const violations = logOf(log);
    using watch = violations.watch(TAG);
    await expect.poll(async () => targetsOf(await watch.collect([])), PATIENT).toEqual(["/own"]);
  });

  it("says a line without an end is not kept in memory, and is read on behind it", async () => {
    const wait = "while [ ! -e go ]; do sleep 0.05; done";
    const long = `head -c 50000000 /dev/zero | tr '\\0' x; : >said-long; ${wait}; echo; cat said`;
    const { log, folder } = standIn(`echo Filtering the log data using; ${long}; ${HANG}`, [
      refused("/own", TAG),
    ]);
    const violations = logOf(log);
    using watch = await ready(violations, TAG);
    const before = heldBytes();
    await expect.poll(() => existsSync(join(folder, "said-long")), PATIENT).toBe(true);
    await pause(50);
    await expect.poll(() => heldBytes() - before, PATIENT).toBeLessThan(5_000_000);
    writeFileSync(join(folder, "go"), "");
    await expect.poll(async () => targetsOf(await watch.collect([])), PATIENT).toEqual(["/own"]);
    expect(await watch.collect([])).toMatchObject({ hasGaps: true });
  });

  it("floods fills no memory, and the call is told 100 of it", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => {
      const tag = at % 2 === 0 ? `\n${TAG}` : "";
      return kernelLine(`Sandbox: sh(${at}) deny(1) file-read-data /${at}/${"x".repeat(50_000)}${tag}`);
    });
    const { log, folder } = standIn("while :; do cat said || exit; done", [HEADER, ...lines]);
    const violations = logOf(log);
    const before = heldBytes();
    using watch = await ready(violations, TAG);
    await expect.poll(async () => targetsOf(await watch.collect([])).length, PATIENT).toBe(100);
    const told = await watch.collect([]);
    await violations[Symbol.asyncDispose]();
    // The longest line, and 250 times 1,000 characters; the lines that these are from would be 12 MB.
    await expect.poll(() => heldBytes() - before, PATIENT).toBeLessThan(5_000_000);
    expect(told).toMatchObject({ kind: "reported", hasGaps: true });
    expect(targetsOf(told)).toHaveLength(100);
    for (const target of targetsOf(told)) expect(target).toHaveLength(1_000);
    expect(targetsOf(await watch.collect([]))).toHaveLength(100);
    expect(leftIn(folder)).toEqual([]);
  });
});

describe("nothing is left of a log", () => {
  it.each([
    ["that reads", READ],
    ["that says nothing", HANG],
    ["that ignores being asked to end", `trap '' TERM INT HUP; ${READ}`],
    ["that ended by itself", "exit 1"],
  ])("%s once it is disposed of", async (_what, script) => {
    const { log, folder } = standIn(script, [HEADER]);
    const violations = new ViolationLog(log);
    using watch = await ready(violations, TAG);
    await violations[Symbol.asyncDispose]();
    expect(leftIn(folder)).toEqual([]);
    expect(await watch.collect([])).toMatchObject({ kind: "absent" });
    using later = await ready(violations, OTHER_TAG);
    expect(await later.collect([])).toMatchObject({ kind: "absent" });
    expect(leftIn(folder)).toEqual([]);
  });

  it("whose calls are all over, when many supervisors end at once", async () => {
    const { log, folder } = standIn(READ, [HEADER]);
    const listeners = process.listenerCount("exit");
    const all = Array.from({ length: 12 }, () => new ViolationLog(log));
    await Promise.all(all.map((one) => ready(one, TAG)));
    expect(process.listenerCount("exit")).toBe(listeners + 1);
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    expect([leftIn(folder), process.listenerCount("exit")]).toEqual([[], listeners]);
    expect(pidsIn(folder)).toHaveLength(12);
  });

  /** A process that reads a log, and says so. */
  function supervisor(log: AbsolutePath, then: string): ChildProcess {
    const source = join(import.meta.dirname, "../../../../src/host/launch/mac/violation-log.ts");
    const line = `const { ViolationLog } = await import(${JSON.stringify(source)});
      const log = new ViolationLog(${JSON.stringify(log)});
      log.watch("${TAG}");
      await log.isReady();
      console.log("reads");
      ${then}`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", line], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  it.each([
    ["comes to its end", ""],
    ["exits", "process.exit(0);"],
    ["throws", "setImmediate(() => { throw 'it'; });"],
  ])(
    "whose supervisor's process %s without disposing of it, which it does not keep from that",
    async (_what, then) => {
      const { log, folder } = standIn(READ, [HEADER]);
      await once(supervisor(log, then), "exit");
      expect(pidsIn(folder)).toHaveLength(1);
      await expect.poll(() => leftIn(folder), PATIENT).toEqual([]);
    },
  );

  it("whose supervisor is killed, once it says its next line", async () => {
    const { log, folder } = standIn("while cat said; do sleep 0.1; done", [HEADER]);
    const child = supervisor(log, "setInterval(() => undefined, 1_000);");
    if (child.stdout !== null) await once(child.stdout, "data");
    expect(leftIn(folder)).toHaveLength(1);
    child.kill("SIGKILL");
    await expect.poll(() => leftIn(folder), PATIENT).toEqual([]);
  });
});

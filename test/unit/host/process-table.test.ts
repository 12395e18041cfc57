import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  childOf,
  isOwnReady,
  isRunning,
  LifeWatch,
  type ProcessId,
  printProcess,
  processAt,
  processesBelow,
  readProcess,
  signal,
  untilEnded,
} from "../../../src/host/launch/process-id.ts";
import { type ProcessTable, procTable } from "../../../src/host/launch/process-table.ts";
import { parsePs, psTable, type ReadPs } from "../../../src/host/launch/ps-table.ts";
import { HAS_PS, psMustBeThere } from "../../support/own-ps.ts";

const isLinux = process.platform === "linux";
/** So long a busy machine may take for what another does in a moment. */
const PATIENT = { timeout: 10_000 };
psMustBeThere();

/** What `ps` selects and tells, from `/proc`: Linux's own computes a start anew each time, and may be a second off. */
const readFromProc: ReadPs = (selection) => {
  const pids = selection[0] === "-p" ? [Number(selection[1])] : readdirSync("/proc").map(Number);
  return pids.flatMap((pid) => (Number.isNaN(pid) ? [] : (procTable.status(pid) ?? [])));
};

const TABLES: readonly (readonly [string, ProcessTable])[] = isLinux
  ? [
      ["by /proc", procTable],
      ["by ps", psTable(readFromProc)],
    ]
  : [["by ps", psTable()]];

/** A shell with one child. */
describe.each(TABLES)("%s", (_how, table) => {
  let shell: ChildProcess;
  let parent: ProcessId;
  let child: ProcessId;
  beforeEach(async () => {
    shell = spawn("/bin/sh", ["-c", "sleep 60; exit 0"], { stdio: "ignore" });
    await once(shell, "spawn");
    parent = there(processAt(shell.pid ?? 0, table));
    child = await vi.waitFor(() => there(childOf(parent, table)), PATIENT);
  });
  afterEach(() => {
    signal(child, "SIGKILL", table);
    shell.kill("SIGKILL");
  });

  /** The same pid, of a process that has ended. */
  const stale = (one: ProcessId): ProcessId => ({ ...one, startedAt: "1" });

  test("a process has one name for as long as it is there", () => {
    expect(processAt(parent.pid, table)).toEqual(parent);
    expect(readProcess(printProcess(parent))).toEqual(parent);
    expect(processAt(2 ** 22 + 1, table)).toBeNull();
  });

  test("one that runs does, and one that had its pid before does not", () => {
    expect([isRunning(child, table), isRunning(stale(child), table)]).toEqual([true, false]);
    expect([childOf(parent, table), childOf(stale(parent), table)]).toEqual([child, null]);
  });

  test("one that has ended and waits for its parent does not run", async () => {
    const holder = spawn("/bin/sh", ["-c", "sleep 0 & exec sleep 60"], { stdio: "ignore" });
    const own = await vi.waitFor(() => there(processAt(holder.pid ?? 0, table)), PATIENT);
    const zombie = await vi.waitFor(() => {
      const found = there(childOf(own, table));
      expect(table.status(found.pid)?.state).toBe("Z");
      return found;
    }, PATIENT);
    using watch = new LifeWatch(zombie, table);
    expect([isRunning(zombie, table), watch.isRunning()]).toEqual([false, false]);
    await untilEnded(zombie, 60_000, table);
    holder.kill("SIGKILL");
  });

  test("a watched process runs until it has ended", async () => {
    using watch = new LifeWatch(child, table);
    expect(watch.isRunning()).toBe(true);
    signal(child, "SIGKILL", table);
    await untilEnded(child, 5_000, table);
    expect([watch.isRunning(), isRunning(child, table)]).toEqual([false, false]);
  });

  test("a wait for one that does not end is over with its time", async () => {
    await untilEnded(child, 50, table);
    expect(isRunning(child, table)).toBe(true);
  });

  test("a signal reaches the process that is meant, and none that has its pid by now", async () => {
    signal(stale(child), "SIGKILL", table);
    signal({ ...child, startedAt: null }, "SIGKILL", table);
    expect(isRunning(child, table)).toBe(true);
    signal(child, "SIGKILL", table);
    await vi.waitFor(() => expect(isRunning(child, table)).toBe(false), PATIENT);
  });

  test("a stopped child is not ready, and is again when it goes on", async () => {
    expect(isOwnReady(parent.pid, table)).toBe(true);
    signal(parent, "SIGSTOP", table);
    await vi.waitFor(() => expect(isOwnReady(parent.pid, table)).toBe(false), PATIENT);
    signal(parent, "SIGCONT", table);
    await vi.waitFor(() => expect(isOwnReady(parent.pid, table)).toBe(true), PATIENT);
  });

  test("below a process are its children and theirs, and it is not below itself", () => {
    const pids = processesBelow(process.pid, table).map(({ pid }) => pid);
    expect(pids).toContain(parent.pid);
    expect(pids).toContain(child.pid);
    expect(pids).not.toContain(process.pid);
    expect(processesBelow(child.pid, table)).toEqual([]);
  });
});

describe("where nothing can be told", () => {
  const blind = psTable(() => {
    throw new Error("no process can be started");
  });
  const own = { pid: process.pid, startedAt: "1" };

  test("a pid that is somebody's counts as running, and is not signalled", () => {
    using watch = new LifeWatch(own, blind);
    expect([isRunning(own, blind), watch.isRunning()]).toEqual([true, true]);
    signal(own, "SIGKILL", blind);
    expect([processAt(own.pid, blind), processesBelow(own.pid, blind)]).toEqual([null, []]);
  });

  test("a pid that is nobody's has ended, which needs no look", () => {
    expect(isRunning({ pid: 2 ** 22 + 1, startedAt: "1" }, blind)).toBe(false);
  });
});

describe("what ps writes", () => {
  test("is read, whatever letters follow the state, and where there is none", () => {
    const text = [
      "    1     0 Ss   Thu Jan  1 00:00:01 1970     ",
      "  501     1 S+   Sat Nov 30 09:54:15 2024     ",
      "99998   501 Z    Sat Nov 30 09:54:16 2024     ",
      "99999   501      Tue Dec  3 09:54:17 2024     ",
      "",
    ].join("\n");
    expect(parsePs(text)).toEqual([
      { pid: 1, parent: 0, state: "S", startedAt: "1" },
      { pid: 501, parent: 1, state: "S", startedAt: "1732960455" },
      { pid: 99998, parent: 501, state: "Z", startedAt: "1732960456" },
      { pid: 99999, parent: 501, state: "?", startedAt: "1733219657" },
    ]);
    expect(parsePs("")).toEqual([]);
  });

  test.each(["1 0 Ss Do 1 Jan 00:00:01 1970", "PID PPID STAT STARTED", "1 0 S -"])(
    "in another form is no process: %s",
    (line) => expect(() => parsePs(line)).toThrow("can't be read"),
  );

  test.skipIf(!HAS_PS)("is asked of the system's own, in whatever language and zone this process is", () => {
    vi.stubEnv("LC_ALL", "de_DE.UTF-8");
    vi.stubEnv("TZ", "Asia/Tokyo");
    const table = psTable();
    const told = table.status(process.pid);
    expect([told?.pid, told?.parent]).toEqual([process.pid, process.ppid]);
    const startedMs = performance.timeOrigin;
    expect(Math.abs(Number(told?.startedAt) * 1_000 - startedMs)).toBeLessThan(5_000);
    expect(table.status(2 ** 22 + 1)).toBeNull();
    expect(table.below(process.pid).filter(({ pid }) => processAt(pid) === null)).toEqual([]);
    vi.unstubAllEnvs();
  });
});

function there(found: ProcessId | null): ProcessId {
  if (found === null) throw new Error("there is no such process");
  return found;
}

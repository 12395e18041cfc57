import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endOf, untilEnd } from "../../src/host/launch/ending.ts";
import { childOf, isRunning, type ProcessId, processAt, signal } from "../../src/host/launch/process-id.ts";

/** A shell with one child, as the sandbox's first process is with the program. */
describe.skipIf(process.platform !== "linux")("a pid that somebody else has by now", () => {
  let shell: ReturnType<typeof spawn>;
  let first: ProcessId;
  let program: ProcessId;
  beforeEach(async () => {
    shell = spawn("/bin/sh", ["-c", "sleep 60; exit 0"], { stdio: "ignore" });
    await once(shell, "spawn");
    first = there(processAt(shell.pid ?? 0));
    program = await vi.waitFor(() => there(childOf(first)), 20_000);
    await vi.waitFor(() => expect(isRunning(program)).toBe(true), 20_000);
  });
  afterEach(() => {
    signal(program, "SIGKILL");
    shell.kill("SIGKILL");
  });

  /** The same pid, of a process that has ended. */
  const stale = (one: ProcessId): ProcessId => ({ ...one, startedAt: "1" });

  it("is not signalled; the process that is meant is", async () => {
    signal(stale(program), "SIGKILL");
    signal({ ...program, startedAt: null }, "SIGKILL");
    expect(isRunning(program)).toBe(true);
    signal(program, "SIGKILL");
    await vi.waitFor(() => expect(isRunning(program)).toBe(false), 20_000);
    signal(program, "SIGKILL");
  });

  it("has no child; the process that is meant has", () => {
    expect(childOf(stale(first))).toBeNull();
    expect(childOf(first)).toEqual(program);
  });

  it("is left alone at the wall time and when the call is cancelled, and neither is the cause of the end", async () => {
    for (const options of [
      { wallMs: 20, signal: null },
      { wallMs: null, signal: AbortSignal.timeout(20) },
      { wallMs: 20, signal: AbortSignal.abort() },
    ]) {
      const launcher = spawn("/bin/sleep", ["0.2"], { stdio: "ignore" });
      expect(await untilEnd(launcher, endOf(launcher), stale(first), options)).toBe("exited");
      expect(launcher.exitCode).toBe(0);
    }
    expect(isRunning(program)).toBe(true);
  });

  it("the process that is meant is asked to end at the wall time", async () => {
    const launcher = spawn("/bin/sleep", ["0.2"], { stdio: "ignore" });
    const options = { wallMs: 20, signal: null };
    expect(await untilEnd(launcher, endOf(launcher), first, options)).toBe("timed-out");
    await vi.waitFor(() => expect(isRunning(program)).toBe(false), 20_000);
  });

  it("a program that ended in time did so, however late it is noticed", async () => {
    const launcher = spawn("/bin/sh", ["-c", "exit 0"], { stdio: "ignore" });
    const ended = endOf(launcher);
    const running = there(processAt(launcher.pid ?? 0));
    const cause = untilEnd(launcher, ended, running, { wallMs: 50, signal: null });
    const until = performance.now() + 300;
    while (performance.now() < until) void 0;
    expect([await cause, await ended]).toEqual(["exited", 0]);
  });
});

function there(found: ProcessId | null): ProcessId {
  if (found === null) throw new Error("there is no such process");
  return found;
}

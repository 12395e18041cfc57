import { PassThrough } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { FileWorker } from "../../../src/call/files/worker.ts";
import { receiptWithoutSandbox } from "../../../src/call/receipt.ts";
import { encodeFrame, PipeFrameReader } from "../../../src/host/launch/frames.ts";
import type { PlanRunOptions } from "../../../src/host/launch/run-options.ts";
import { LARGEST_FRAME } from "../../../src/tool/files/protocol.ts";

/** What stands behind the pipe in place of the program inside: what it says to each request but the first. */
let says: (header: string) => Buffer = () => Buffer.alloc(0);

vi.mock("../../../src/host/launch/run.ts", () => ({
  run: (_plan: unknown, { sinks, signal, onProven }: PlanRunOptions) =>
    new Promise((resolve) => {
      const input = new PassThrough();
      const frames = new PipeFrameReader(LARGEST_FRAME);
      let isFirst = true;
      input.on("data", (chunk: Buffer) => {
        for (const { header } of frames.parse(chunk)) {
          const reply = isFirst ? encodeFrame(JSON.stringify({ answer: { ok: true } })) : says(header);
          isFirst = false;
          setImmediate(() => void sinks?.stdout(reply));
        }
      });
      signal?.addEventListener("abort", () => resolve({ code: 137, reached: [] }));
      const init = { pid: 1, startedAt: null };
      onProven?.({ changes: () => [], init, input, isRunning: () => true, keepAlive: () => undefined });
    }),
}));

afterEach(() => {
  says = () => Buffer.alloc(0);
});

const ASK = { timeoutMs: 5_000, signal: null } as const;
const REMOVE = { op: "remove", path: "/w/a", expected: { kind: "missing" } } as const;
const LOST = { code: "WORKER_LOST" };
const told = (reply: unknown): Buffer => encodeFrame(JSON.stringify(reply));
const right = told({ answer: { target: "/w/a" } });

async function started(): Promise<FileWorker> {
  return FileWorker.start({
    plan: {} as MountPlan,
    enforcement: receiptWithoutSandbox(0).enforcement,
    surroundings: {} as PlanRunOptions["surroundings"],
    runAs: null,
    startedBy: null,
    cgroups: null,
    profile: "{}",
  });
}

describe("what the program inside says is not trusted", () => {
  test.each<[what: string, said: () => Buffer]>([
    ["an answer to something else", () => told({ answer: { removed: 1 } })],
    ["an answer with more than belongs to it", () => told({ answer: { target: "/w/a", secret: 1 } })],
    ["no answer at all", () => told({ other: 1 })],
    [
      "a fault that there is not",
      () => told({ fault: { fault: "OTHER", path: "/w/a", need: null, why: "" } }),
    ],
    ["what is no JSON", () => encodeFrame("{")],
    ["a length that no frame has", () => Buffer.alloc(8, 0xff)],
  ])("%s ends it, and fails the one call", async (_what, said) => {
    await using worker = await started();
    says = said;
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).rejects.toMatchObject(LOST);
    expect(worker.isRunning).toBe(false);
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).rejects.toMatchObject(LOST);
  });

  test("an answer that nobody asked for ends it, so that it is never taken for the next one's", async () => {
    await using worker = await started();
    says = () => Buffer.concat([right, right]);
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).resolves.toMatchObject({
      answer: { target: "/w/a" },
    });
    expect(worker.isRunning).toBe(false);
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).rejects.toMatchObject(LOST);
  });

  test("an answer as it should be, and a fault that there is, leave it at work", async () => {
    await using worker = await started();
    says = () => right;
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).resolves.toMatchObject({
      answer: { target: "/w/a" },
    });
    says = () => told({ fault: { fault: "NOT_FOUND", path: "/w/a", need: null, why: "ENOENT" } });
    await expect(worker.ask<"remove">(REMOVE, undefined, ASK)).rejects.toMatchObject({
      fault: { fault: "NOT_FOUND" },
    });
    expect(worker.isRunning).toBe(true);
  });
});

import { expect } from "vitest";
import { Broker } from "../../../src/approval/broker.ts";
import type { ApprovalCallback } from "../../../src/approval/handlers.ts";
import { CallbackHandler } from "../../../src/approval/handlers.ts";
import type { RequestOptions } from "../../../src/approval/pending-request.ts";
import { presentText } from "../../../src/approval/present.ts";
import type { ApprovalEvent } from "../../../src/event/event.ts";
import { isApprovalEvent } from "../../../src/event/event.ts";
import { type Journal, MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import type { Store } from "../../../src/store/store.ts";

/** When the requests of `requestWith` are made. */
export const NOW = 1_900_000_000_000;

/** A broker with a clock that is set by hand, and all that it writes down. */
export interface Desk {
  readonly broker: Broker;
  readonly store: Store;
  readonly clock: { now: number };
  /** What was written down about approvals, in order. */
  readonly written: () => readonly ApprovalEvent[];
  /** The same, each in short: its type, and why where it says so. */
  readonly told: () => readonly string[];
}

/** Where questions and answers meet, of the run `run-1`. */
export function desk(
  given: { readonly store?: Store; readonly journal?: Journal; readonly runId?: string } = {},
): Desk {
  const memory = new MemoryJournal();
  const clock = { now: NOW };
  const { store = new MemoryStore({ now: () => clock.now }), journal, runId = "run-1" } = given;
  const both: Journal = {
    write: (event) => {
      journal?.write(event);
      memory.write(event);
    },
    [Symbol.dispose]: () => undefined,
  };
  const broker = new Broker(
    { now: () => clock.now },
    store,
    new Recorder({ now: () => clock.now }, both, runId),
  );
  const written = (): readonly ApprovalEvent[] => memory.events.filter(isApprovalEvent);
  return { broker, store, clock, written, told: () => written().map(inShort) };
}

/** How a request is brought to functions that answer; held until then. */
export function bringing(
  callbacks: readonly ApprovalCallback[],
  more: Partial<RequestOptions> = {},
): RequestOptions {
  return {
    handlers: callbacks.map((callback) => new CallbackHandler(callback)),
    present: async () => presentText("deploy"),
    signal: null,
    isBlocking: true,
    call: null,
    ...more,
  };
}

/** A handler that never answers. */
export const SILENCE: ApprovalCallback = () => new Promise(() => undefined);

/** Does the work and proves that it leaves no rejection that nobody handles. */
export async function handlingAll<Result>(work: () => Promise<Result>): Promise<Result> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const result = await work();
    await atRest();
    expect(unhandled).toEqual([]);
    return result;
  } finally {
    process.off("unhandledRejection", note);
  }
}

/** Until everything that was begun and waits for nothing outside has ended. */
export async function atRest(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A journal that can be full. */
export class SmallJournal implements Journal {
  isFull = false;

  write(): void {
    if (this.isFull) throw new Error("ENOSPC: no space left on device, write");
  }

  [Symbol.dispose](): void {
    this.isFull = true;
  }
}

function inShort(event: ApprovalEvent): string {
  switch (event.type) {
    case "approval.resolved":
      return `${event.type}: ${event.approved ? "yes" : "no"} by ${event.by}${event.note === null ? "" : `, ${event.note}`}`;
    case "approval.failed":
      return `${event.type}: ${event.reason}`;
    case "approval.ignored":
      return `${event.type}: ${event.because} by ${event.by}`;
    case "approval.requested":
    case "approval.expired":
    case "approval.abandoned":
    case "approval.auto":
    case "approval.reviewed":
    case "grant.saved":
    case "grant.revoked":
      return event.type;
  }
}

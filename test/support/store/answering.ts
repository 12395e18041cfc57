import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { ApprovalEvent, ApprovalNews } from "../../../src/event/event.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../approval/request.ts";
import { CALLER, checkoutFor, runFile } from "../battery/people.ts";

/** What one process is to do. */
export const Job = z.strictObject({
  name: z.string(),
  requests: z.int(),
  /** Of which requests it tries to take those that others have answered: what is left of their numbers by 8. */
  mayTake: z.array(z.int()),
  /** Whether it follows the events. */
  follows: z.boolean(),
});
export type Job = z.infer<typeof Job>;

/** What one process did: requests by their ids, events by their names. */
const Report = z.strictObject({
  name: z.string(),
  accepted: z.array(z.string()),
  claimed: z.array(z.string()),
  finished: z.array(z.string()),
  followed: z.strictObject({ names: z.array(z.string()), isInOrder: z.boolean() }).nullable(),
});
export type Report = z.infer<typeof Report>;

/** The name of the event behind all others. */
export const LAST = "last";

export const idOf = (index: number): string => `request ${index}`;

/** News that say which they are. */
export function newsOf(name: string): ApprovalNews {
  return {
    version: 1,
    at: "2030-01-02T03:04:05.678Z",
    runId: "run-1",
    sessionId: "s1",
    callId: null,
    type: "grant.revoked",
    grantId: name,
    by: "ann",
  };
}

/** The name of an event that was kept by such news. */
export function nameOf(event: ApprovalEvent): string {
  return event.type === "grant.revoked" ? event.grantId : event.type;
}

/** Who answers what, and what happens meanwhile. */
export interface Answering {
  /** How the store is named to the processes, and a way into it. */
  readonly text: string;
  readonly store: Store;
  readonly processes: number;
  readonly requests: number;
  /** Done once so many were answered. */
  readonly meanwhile: readonly { readonly answered: number; readonly act: () => Promise<void> }[];
}

/** Adds requests, has several processes answer and run all of them at once, and returns what each did. */
export async function answering({ text, store, processes, requests, meanwhile }: Answering) {
  for (let from = 0; from < requests; from += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, requests - from) }, async (_, index) => {
        const id = idOf(from + index);
        await store.add(
          requestWith({ approvalId: id }),
          { call: null, presentation: null },
          newsOf(`${id} asked`),
        );
      }),
    );
  const children = Array.from({ length: processes }, (_, index) =>
    start(text, { name: `process ${index}`, requests, mayTake: [index % 8], follows: index < 2 }),
  );
  try {
    await Promise.all(children.map(async ({ said }) => said()));
    for (const { child } of children) child.stdin.end("go\n");
    const reports = Promise.all(children.map(async ({ said }) => Report.parse(JSON.parse(await said()))));
    for (const { answered, act } of meanwhile) {
      while ((await store.lastSeq()) < requests + answered)
        await new Promise((resolve) => setTimeout(resolve, 5));
      await act();
    }
    while ((await store.lastSeq()) < 2 * requests - 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.append(newsOf(LAST));
    return await reports;
  } finally {
    for (const { child } of children) child.kill("SIGKILL");
  }
}

function start(text: string, job: Job) {
  const [program, ...words] = runFile(checkoutFor(CALLER), "answering-driver.ts");
  const child = spawn(program, [...words, text, JSON.stringify(job)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, "close").then(([code]) => code);
  /** Its next line. */
  const said = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${job.name} ended with ${await ended}`);
    return value;
  };
  return { child, said };
}

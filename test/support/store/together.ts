import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../approval/request.ts";
import { startDriver } from "../battery/storm.ts";
import { asked, GO } from "./news.ts";

/** A process at a store; it is gone when the test is. */
export interface Driven {
  readonly kill: () => void;
  /** Done when it has ended. */
  readonly closed: Promise<unknown>;
  /** Each whole line that it has said. */
  readonly said: () => readonly unknown[];
  /** Waits until it says this. */
  readonly saying: (line: string) => Promise<void>;
  /** What it says last. */
  readonly last: <What>() => Promise<What>;
}

/** Starts the driver of stores in one of its roles. `where` is a word that `openStore` knows. */
export function drive(where: string, role: string, word: string): Driven {
  const child = startDriver("store-driver.ts", [where, role, word]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => (text += some));
  let hasEnded = false;
  const closed = once(child, "close").then(() => (hasEnded = true));
  const said = (): readonly unknown[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    kill: () => void child.kill("SIGKILL"),
    closed,
    said,
    saying: async (line) => {
      while (!said().includes(line)) {
        if (hasEnded) throw new Error(`it ended before it said ${line}`);
        await pause(5);
      }
    },
    last: async <What>() => {
      await closed;
      return said().at(-1) as What;
    },
  };
}

/** Puts a request into a store as a broker would. */
export async function ask(store: Store, request: ApprovalRequest): Promise<void> {
  await store.add(request, { call: null, presentation: null }, asked(request));
}

/** What happens to a store once so many of its requests are answered. */
export interface Meanwhile {
  readonly answered: number;
  readonly act: () => Promise<void>;
}

/** What one process did, requests by their ids. */
export interface Done {
  readonly accepted: readonly string[];
  readonly run: readonly string[];
}

/** One event as it was told: `asked`, `yes`, `no`. */
export type Told = readonly [seq: number, id: string, what: string];

/** Many processes at the same requests. */
export interface Together {
  readonly where: string;
  readonly processes: number;
  readonly requests: number;
  readonly meanwhile: readonly Meanwhile[];
}

/**
 * Has several processes answer all requests of a store at once, each in an order of its own, and run what is approved, while
 * two others follow. The request by which all begin is left out of what is told here.
 */
export async function answerTogether(store: Store, { where, processes, requests, meanwhile }: Together) {
  const all = Array.from({ length: requests }, (_, index) => requestWith({ approvalId: `r ${index}` }));
  for (let from = 0; from < requests; from += 50)
    await Promise.all(all.slice(from, from + 50).map((request) => ask(store, request)));
  const followers = [0, 1].map(() => drive(where, "follow", String(requests + 1)));
  const answering = Array.from({ length: processes }, (_, index) => drive(where, "answer", `run ${index}`));
  for (const one of answering) await one.saying("ready");
  await ask(store, requestWith({ approvalId: GO }));
  for (const { answered, act } of meanwhile) {
    while ((await store.lastSeq()) < requests + answered) await pause(5);
    await act();
  }
  const done = await Promise.all(answering.map((one) => one.last<Done>()));
  const isOther = (id: string): boolean => id !== GO;
  return {
    ids: all.map(({ approvalId }) => approvalId).toSorted(),
    accepted: done.flatMap((one) => one.accepted.filter(isOther)).toSorted(),
    run: done.flatMap((one) => one.run.filter(isOther)).toSorted(),
    told: await Promise.all(
      followers.map(async (one) => (await one.last<Told[]>()).filter(([, id]) => isOther(id))),
    ),
  };
}

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { approved } from "../../../src/approval/factories.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../approval/request.ts";
import type { Times } from "../files/figures.ts";
import { answered, asked } from "./news.ts";

/** How many requests a store takes in and decides in a second. */
export interface StoreFigures {
  /** Each when the one before is decided. */
  readonly inTurn: number;
  /** A hundred at a time. */
  readonly atOnce: number;
}

const AT_ONCE = 100;

/** Requests that nobody waits for are put into a store and answered. What is in it before counts as much as it does. */
export async function storeFigures(store: Store, count: number): Promise<StoreFigures> {
  const each = async (): Promise<void> => {
    const request = requestWith({ approvalId: randomUUID() });
    await store.add(request, { call: null, presentation: null }, asked(request));
    const decision = approved("ann");
    await store.resolve(request.approvalId, decision, answered(request, decision));
  };
  for (let warm = 0; warm < count / 10; warm += 1) await each();
  const inTurn = await perSecond(count, async () => {
    for (let done = 0; done < count; done += 1) await each();
  });
  const atOnce = await perSecond(AT_ONCE * Math.ceil(count / 10), () =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let done = 0; done < Math.ceil(count / 10); done += 1) await each();
      }),
    ),
  );
  return { inTurn, atOnce };
}

/**
 * How long it takes from an answer that another process gives until this one is woken, in milliseconds: half of the time from
 * a question, by which that one is woken, to its answer. `where` is the store's place, by the word that `openStore` knows.
 */
export async function wakeTimes(store: Store, where: string, count: number): Promise<Times> {
  const driver = join(import.meta.dirname, "../battery/store-driver.ts");
  const child = spawn(process.execPath, [driver, where, "echo", "echo"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  await Promise.race([once(child.stdout, "data"), closed]);
  const times: number[] = [];
  let look = async (): Promise<void> => undefined;
  using _watch = store.watch(() => void look());
  for (let left = count; left > 0; left -= 1) {
    const request = requestWith({ approvalId: randomUUID(), description: left === 1 ? "the last" : "one" });
    const began = performance.now();
    const { promise: isAnswered, resolve } = Promise.withResolvers<void>();
    look = async (): Promise<void> => {
      if ((await store.find(request.approvalId))?.status === "approved") resolve();
    };
    await store.add(request, { call: null, presentation: null }, asked(request));
    await isAnswered;
    times.push((performance.now() - began) / 2);
  }
  await closed;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((count - 1) * part)] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (1_000 * count) / (performance.now() - began);
}

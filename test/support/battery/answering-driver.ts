/**
 * A process that answers every request of a store, and runs what was approved: `answering-driver.ts STORE JOB`, both JSON.
 * Others do the same to the same requests. Prints `ready`, waits for a line, and prints what it did as a line of JSON.
 */
import { once } from "node:events";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Store } from "../../../src/store/store.ts";
import { idOf, Job, LAST, nameOf, newsOf, type Report } from "../store/answering.ts";
import { openStore } from "../store/open-store.ts";

/** So many requests are worked at together: as many as a small pool has connections. */
const LANES = 4;

const [, , text = "", given = ""] = process.argv;
const job = Job.parse(JSON.parse(given));
await using store = openStore(text);
await store.keepAlive(job.name, 600_000);
console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();
const [worked, followed] = await Promise.all([work(), job.follows ? follow(store) : null]);
console.log(JSON.stringify({ ...worked, followed } satisfies Report));

async function work(): Promise<Omit<Report, "followed">> {
  const { name, requests, mayTake } = job;
  const left = Array.from({ length: requests }, (_, index) => index);
  const [accepted, claimed, finished]: [string[], string[], string[]] = [[], [], []];
  const lane = async (): Promise<void> => {
    for (;;) {
      // Each comes upon them in an order of its own, and not far from where the others are.
      const [index] = left.splice(Math.floor(Math.random() * Math.min(left.length, 20)), 1);
      if (index === undefined) return;
      const id = idOf(index);
      const decision = index % 3 === 0 ? rejected(name) : approved(name);
      const resolution = await store.resolve(id, decision, newsOf(`${id} by ${name}`));
      if (resolution === "accepted") accepted.push(id);
      if (resolution !== "accepted" && !mayTake.includes(index % 8)) continue;
      if (!(await store.claim(id, name))) continue;
      claimed.push(id);
      if (await store.finish(id, name, "done")) finished.push(id);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { name, accepted, claimed, finished };
}

/** Every event up to the last, as a subscriber gets it. */
async function follow(store: Store): Promise<NonNullable<Report["followed"]>> {
  const names: string[] = [];
  let isInOrder = true;
  let wake = (): void => undefined;
  using _watching = store.watch(() => wake());
  while (names.at(-1) !== LAST) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const some = await store.eventsAfter(names.length - 1, 500, null);
    for (const event of some) {
      isInOrder &&= event.seq === names.length;
      names.push(nameOf(event));
    }
    if (some.length === 0) await woken;
  }
  return { names, isInOrder };
}

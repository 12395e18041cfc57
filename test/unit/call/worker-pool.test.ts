import { expect, test, vi } from "vitest";
import { Pool, type Poolable } from "../../../src/call/files/pool.ts";

/** A worker that only counts. */
class Stub implements Poolable {
  isRunning = true;
  isKept = true;
  isDisposed = false;
  readonly found: string[] = [];

  keepAlive(isKept: boolean): void {
    this.isKept = isKept;
  }

  changes(): readonly string[] {
    return this.found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isRunning = false;
    this.isDisposed = true;
  }
}

function poolOf(hasEveryRoot = true) {
  const made: Stub[] = [];
  const pool = new Pool(async () => {
    const worker = new Stub();
    made.push(worker);
    return { worker, hasEveryRoot };
  });
  const use = (
    work: (worker: Stub) => Promise<unknown> = async () => null,
    signal: AbortSignal | null = null,
  ) => pool.use(work, { signal, turn: {}, onStart: () => undefined });
  return { made, pool, use };
}

test("a worker is used again, and keeps nothing alive while it waits", async () => {
  const { made, use } = poolOf();
  for (let index = 0; index < 10; index += 1) await use(async (worker) => expect(worker.isKept).toBe(true));
  expect(made.map(({ isKept, isRunning }) => [isKept, isRunning])).toEqual([[false, true]]);
});

test("one that is an hour old, or was used 100,000 times, is replaced", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { made, use } = poolOf();
    await use();
    vi.advanceTimersByTime(60 * 60 * 1000 - 1);
    await use();
    expect(made.length).toBe(1);
    vi.advanceTimersByTime(1);
    await use();
    expect(made.map(({ isDisposed }) => isDisposed)).toEqual([true, false]);
    for (let index = 0; index < 100_000; index += 1) await use();
    expect(made.map(({ isDisposed }) => isDisposed)).toEqual([true, true, false]);
  } finally {
    vi.useRealTimers();
  }
});

test("one that ended, whose sandbox changed, or that lacks a root is not used again", async () => {
  const { made, use } = poolOf();
  await use();
  made[0]?.found.push("a mount was lost");
  await use();
  await use(async (worker) => {
    worker.isRunning = false;
  });
  await use();
  expect(made.map(({ isDisposed }) => isDisposed)).toEqual([true, true, false]);
  const lacking = poolOf(false);
  await lacking.use();
  await lacking.use();
  expect(lacking.made.map(({ isDisposed }) => isDisposed)).toEqual([true, true]);
});

test("two work at once, the others in turn, and whoever is cancelled takes no turn", async () => {
  const { made, use } = poolOf();
  const gates = [1, 2, 3, 4, 5].map(() => Promise.withResolvers<null>());
  const began: number[] = [];
  const controller = new AbortController();
  const uses = gates.map(({ promise }, index) =>
    use(
      async () => {
        began.push(index);
        await promise;
      },
      index === 2 ? controller.signal : null,
    ),
  );
  const cancelled = uses[2]?.catch((cause: unknown) => cause);
  await vi.waitFor(() => expect(began).toEqual([0, 1]));
  controller.abort(new Error("enough"));
  expect(await cancelled).toEqual(new Error("enough"));
  gates[1]?.resolve(null);
  await vi.waitFor(() => expect(began).toEqual([0, 1, 3]));
  for (const { resolve } of gates) resolve(null);
  await Promise.allSettled(uses);
  expect([began, made.length]).toEqual([[0, 1, 3, 4], 2]);
});

test("what fails gives its turn back", async () => {
  const { use } = poolOf();
  const failing = () => use(() => Promise.reject(new Error("no")));
  for (let index = 0; index < 5; index += 1) await expect(failing()).rejects.toThrow("no");
  await expect(use(async () => "yes")).resolves.toBe("yes");
});

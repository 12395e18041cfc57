import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum of characters for which work needs no turns: it takes no noticeable time. */
export const MAX_AT_ONCE = 16 * 1024;

/** Lets all other work of this process run, between two steps of work on that many characters. */
export async function otherTurns(characters = Number.POSITIVE_INFINITY): Promise<void> {
  if (characters > MAX_AT_ONCE) await nextTurn();
}

const TURN_MS = 8;

/** The time of such work until all other work has its turn. */
export class WorkTurn {
  #ends = performance.now() + TURN_MS;

  /** True if other work has waited long enough: then `pause`. */
  get isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Lets other work run. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#ends = performance.now() + TURN_MS;
  }

  async step(): Promise<void> {
    if (this.isOver) await this.pause();
  }
}

/** Same as `flatMap`; between two of the items other work has its turn. */
export async function flatMapInTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result | readonly Result[],
): Promise<readonly Result[]> {
  const turn = new WorkTurn();
  const results: Result[] = [];
  for (const item of items) {
    if (turn.isOver) await turn.pause();
    const result = work(item);
    if (isList(result)) results.push(...result);
    else results.push(result);
  }
  return results;
}

function isList<Result>(given: Result | readonly Result[]): given is readonly Result[] {
  return Array.isArray(given);
}

/** Number of items that are sorted, or merged, between two looks at the clock. */
const RUN = 512;

/** The items of all lists in order, the first of equal ones. Other work has its turn meanwhile. */
export async function sortedInTurns<Item>(
  lists: Iterable<readonly Item[]>,
  compare: (a: Item, b: Item) => number,
): Promise<readonly Item[]> {
  const given = [...lists].filter((list) => list.length > 0);
  const isShort = given.reduce((sum, list) => sum + list.length, 0) <= RUN;
  if (isShort) return onceEach(given.flat().sort(compare), compare);
  const turn = new WorkTurn();
  let runs: (readonly Item[])[] = [];
  for (const list of given)
    for (let at = 0; at < list.length; at += RUN) {
      if (turn.isOver) await turn.pause();
      runs.push(onceEach(list.slice(at, at + RUN).sort(compare), compare));
    }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedInTurns(runs[at] ?? [], runs[at + 1] ?? [], compare, turn));
    runs = merged;
  }
  return runs[0] ?? [];
}

function onceEach<Item>(sorted: readonly Item[], compare: (a: Item, b: Item) => number): readonly Item[] {
  return sorted.filter((item, at) => {
    const before = sorted[at - 1];
    return at === 0 || before === undefined || compare(before, item) !== 0;
  });
}

async function mergedInTurns<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  turn: WorkTurn,
): Promise<readonly Item[]> {
  const merged: Item[] = [];
  let [atA, atB] = [0, 0];
  for (let steps = 1; ; steps += 1) {
    const [nextA, nextB] = [a[atA], b[atB]];
    if (nextA === undefined && nextB === undefined) return merged;
    const order = nextA === undefined ? 1 : nextB === undefined ? -1 : compare(nextA, nextB);
    if (order <= 0) atA += 1;
    if (order >= 0) atB += 1;
    const next = order <= 0 ? nextA : nextB;
    if (next !== undefined) merged.push(next);
    if (steps % RUN === 0 && turn.isOver) await turn.pause();
  }
}

/** Does work in short steps: other work has its turn once it has waited long enough. Throws the errors of steps. */
export async function inLongTurns<Result>(steps: Iterator<void, Result>): Promise<Result> {
  const turn = new WorkTurn();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turn.isOver) await turn.pause();
  }
}

/** Does work in steps; between two of them other work has its turn. Throws the errors of steps. */
export async function inTurns<Result>(steps: Iterator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

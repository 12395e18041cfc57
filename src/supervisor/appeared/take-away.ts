import type { EventBody } from "../../event/event.ts";
import type { Appeared, Fate } from "../../host/appeared.ts";
import { statsOf } from "../../host/nodes.ts";
import type { Planted } from "../../host/quarantine/quarantine.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "../../host/quarantine/record.ts";
import { flatMapInTurns, sortedInTurns, WorkTurn } from "../../host/turns.ts";
import { type AbsolutePath, byPath, parentOf, upwards } from "../../profile/path.ts";
import type { AfterCall } from "./after-call.ts";
import { answerAbout, type KeepAnswer, MAX_TOLD } from "./keep-answer.ts";
import { isRepository, runsIn, unmade } from "./new-repositories.ts";
import type { PlantedByCall } from "./planted.ts";

/** The fate of each thing that appeared. */
export type Fates = Map<Appeared, Fate>;

/** The fates of things that stay, and things that would stay if they had no other name (hard link). */
export interface Decided {
  readonly fates: Fates;
  readonly linked: ReadonlySet<Appeared>;
}

const GONE: Fate = { kind: "reported", because: "it was not there any more when it was to be taken away" };
/** Why something was taken that would have stayed otherwise. */
const LINKED = "it, or a file in it, has another name, by which a later call could change it";

/** Takes things out of their places, asks about them where somebody can be asked, and writes down what became of each. */
export async function takeAway(
  taken: readonly PlantedByCall[],
  call: AfterCall,
  { fates, linked }: Decided,
): Promise<void> {
  const items = new Map<string, Taken>();
  const records: QuarantineRecord[] = [];
  const take = async (things: readonly Planted[]): Promise<void> => {
    for await (const done of call.shared.quarantine.takeAll(things, call.from)) {
      call.record(quarantinedEvent(done));
      for (const item of done.items) items.set(item.path, { item, id: done.id });
      records.push(done);
    }
  };
  const isFar = otherFileSystem(call.shared.host.stateFolder);
  await takeEach(taken, items, { take, isFar });
  const running = await stillRunning(taken, call);
  await takeEach(running, items, { take, isFar });
  call.onTaken();
  const said = await answerAbout(records, call);
  const turn = new WorkTurn();
  const own = new Map<Appeared, readonly Taken[]>();
  for (const { appeared, take: parts } of [...taken, ...running]) {
    if (turn.isOver) await turn.pause();
    const found = parts.flatMap(({ path }) => itemOf(path, items) ?? []);
    own.set(appeared, [...(own.get(appeared) ?? []), ...found]);
  }
  for (const [appeared, found] of own) {
    if (turn.isOver) await turn.pause();
    fates.set(appeared, fateOf(found, said, linked.has(appeared) ? LINKED : null));
  }
}

/**
 * True for a path on another file system than this folder. From there a folder is copied. One that can't be copied stays where it was,
 * under another name, and its content would still be live.
 */
function otherFileSystem(folder: AbsolutePath): (path: AbsolutePath) => boolean {
  const dev = statsOf(folder)?.dev;
  return (path) => statsOf(parentOf(path))?.dev !== dev;
}

interface Taking {
  readonly take: (things: readonly Planted[]) => Promise<void>;
  readonly isFar: (path: AbsolutePath) => boolean;
}

/**
 * Takes all of these. A thing that lies in another one goes with that, and by itself where the other can't be moved. Things on another
 * file system are all taken by themselves, the deepest first.
 */
async function takeEach(
  taken: readonly PlantedByCall[],
  items: ReadonlyMap<string, Taken>,
  { take, isFar }: Taking,
): Promise<void> {
  let left = new Map<AbsolutePath, Planted>();
  const turn = new WorkTurn();
  for (const one of taken.flatMap((planted) => planted.take)) {
    if (turn.isOver) await turn.pause();
    left.set(one.path, one);
  }
  while (left.size > 0) {
    const inOthers = new Map<AbsolutePath, Planted>();
    let hasFar = false;
    for (const [path, one] of left) {
      if (turn.isOver) await turn.pause();
      const isAlone = isFar(path);
      hasFar ||= isAlone;
      if (!isAlone && isBelowAny(path, left)) inOthers.set(path, one);
    }
    const now = await flatMapInTurns(left.values(), (one) => (inOthers.has(one.path) ? [] : one));
    await take(hasFar ? await sortedInTurns([now], deepestFirst) : now);
    left = new Map();
    for (const [path, one] of inOthers) {
      if (turn.isOver) await turn.pause();
      if (itemOf(path, items)?.item.state === "live") left.set(path, one);
    }
  }
}

function deepestFirst(a: Planted, b: Planted): number {
  return b.path.length - a.path.length || byPath(a.path, b.path);
}

/** Repositories in which git still runs something without the parts that were taken of them. */
async function stillRunning(
  taken: readonly PlantedByCall[],
  call: AfterCall,
): Promise<readonly PlantedByCall[]> {
  return flatMapInTurns(taken, ({ appeared, take: [first] }): readonly PlantedByCall[] => {
    const { kind, path } = appeared;
    if (kind !== "repository" || first === undefined || !isRepository(path)) return [];
    if (runsIn(path, call).names.length === 0) return [];
    return [{ appeared, take: unmade(path, call.startedAt).map((part) => ({ ...first, path: part })) }];
  });
}

/** One thing that was taken, and the id of its record. */
interface Taken {
  readonly item: QuarantineItem;
  readonly id: string;
}

function isBelowAny(path: AbsolutePath, folders: ReadonlyMap<string, unknown>): boolean {
  for (const above of upwards(parentOf(path))) if (folders.has(above)) return true;
  return false;
}

/** The item by which a path was taken: its own, or that of a folder above it. */
function itemOf(path: AbsolutePath, items: ReadonlyMap<string, Taken>): Taken | null {
  for (const at of upwards(path)) {
    const item = items.get(at);
    if (item !== undefined) return item;
  }
  return null;
}

function fateOf(own: readonly Taken[], { by, problems }: KeepAnswer, because: string | null): Fate {
  const live = own.find(({ item }) => item.state === "live");
  if (live !== undefined) return { kind: "live", problem: live.item.problem ?? "it could not be moved" };
  const [first, ...others] = own.filter(({ item }) => isHeld(item));
  if (first === undefined) return GONE;
  const held = [first, ...others].map(({ item }) => item);
  const [problem = null] = held.flatMap(({ path }) => problems.get(path) ?? []);
  if (by !== null && problem === null) return { kind: "kept", by };
  return {
    kind: "quarantined",
    id: first.id,
    aside: held.find(({ aside }) => aside !== null)?.aside ?? null,
    because,
    problem,
  };
}

/** The event that tells what was taken away. */
function quarantinedEvent({ id, items }: QuarantineRecord): EventBody {
  const told = items.slice(0, MAX_TOLD).map(({ path, by, when, state, aside, problem }: QuarantineItem) => ({
    path,
    by,
    when,
    state: state === "aside" || state === "gone" || state === "live" ? state : ("taken" as const),
    aside,
    problem,
  }));
  return { type: "call.quarantined", quarantineId: id, items: told, more: items.length - told.length };
}

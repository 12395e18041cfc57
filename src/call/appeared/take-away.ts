import type { EventBody } from "../../event/event.ts";
import type { Appeared, Fate } from "../../host/launch/appeared.ts";
import type { Planted } from "../../host/launch/quarantine/quarantine.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "../../host/launch/quarantine/record.ts";
import { statsOf } from "../../host/look/nodes.ts";
import { flatMapInTurns, sortedInTurns, WorkTurn } from "../../host/turns.ts";
import { type AbsolutePath, byPath, nearestIn, parentOf, upwards } from "../../profile/path.ts";
import type { AfterCall } from "./after-call.ts";
import { answerAbout, type KeepAnswer, MAX_LISTED } from "./keep-answer.ts";
import { isRepository, runsIn, unmade } from "./new-repositories.ts";
import type { PlantedByCall } from "./planted.ts";

/** The fate of each thing that appeared. */
export type Fates = Map<Appeared, Fate>;

/** The fates of things that stay, and things that would stay if they had no other name (hard link). */
export interface DecidedFates {
  readonly fates: Fates;
  readonly linked: ReadonlySet<Appeared>;
}

const GONE: Fate = { kind: "reported", because: "it was gone before it could be quarantined" };
/** Why a file was taken that would have stayed otherwise. */
const LINKED = "it or a file in it has a second hard link, through which a later call could change it";

/** Takes files out of their places, asks about them if anyone can be asked, and records the fate of each. */
export async function takeAway(
  taken: readonly PlantedByCall[],
  call: AfterCall,
  { fates, linked }: DecidedFates,
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
    const found = parts.flatMap(({ path }) => nearestIn(items, path) ?? []);
    own.set(appeared, [...(own.get(appeared) ?? []), ...found]);
  }
  for (const [appeared, found] of own) {
    if (turn.isOver) await turn.pause();
    fates.set(appeared, fateOf(found, said, linked.has(appeared) ? LINKED : null));
  }
}

/** True for a path on another file system: a folder is copied from there, and its content stays live if that fails. */
function otherFileSystem(folder: AbsolutePath): (path: AbsolutePath) => boolean {
  const dev = statsOf(folder)?.dev;
  return (path) => statsOf(parentOf(path))?.dev !== dev;
}

interface Taking {
  readonly take: (things: readonly Planted[]) => Promise<void>;
  readonly isFar: (path: AbsolutePath) => boolean;
}

/** Takes all; an item in another goes with it, or alone if that can't move. From other file systems deepest first. */
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
      if (nearestIn(items, path)?.item.state === "live") left.set(path, one);
    }
  }
}

function deepestFirst(a: Planted, b: Planted): number {
  return b.path.length - a.path.length || byPath(a.path, b.path);
}

/** Repositories in which git still runs something after their parts were taken. */
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

interface Taken {
  readonly item: QuarantineItem;
  readonly id: string;
}

function isBelowAny(path: AbsolutePath, folders: ReadonlyMap<string, unknown>): boolean {
  for (const above of upwards(parentOf(path))) if (folders.has(above)) return true;
  return false;
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

function quarantinedEvent({ id, items }: QuarantineRecord): EventBody {
  const listed = items
    .slice(0, MAX_LISTED)
    .map(({ path, by, when, state, aside, problem }: QuarantineItem) => ({
      path,
      by,
      when,
      state: state === "aside" || state === "gone" || state === "live" ? state : ("taken" as const),
      aside,
      problem,
    }));
  return { type: "call.quarantined", quarantineId: id, items: listed, more: items.length - listed.length };
}

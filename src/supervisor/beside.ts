import { type Facts, nodeAt } from "../backend/facts.ts";
import { aliasesOf } from "../backend/host-mounts.ts";
import type { Placeholder } from "../backend/placeholder.ts";
import type { Plan } from "../backend/plan.ts";
import { CofferdamError } from "../errors.ts";
import { boundedTextsInSteps } from "../event/bounded.ts";
import type { EventBody } from "../event/event.ts";
import {
  type Appearances,
  type Appeared,
  type AppearedLook,
  type Before,
  lookForAppeared,
} from "../host/appeared.ts";
import type { Ledger } from "../host/ledger.ts";
import type { Entered } from "../host/live-calls.ts";
import { statsOf } from "../host/nodes.ts";
import { flatMapInTurns, inTurns } from "../host/turns.ts";
import { workOf } from "../host/work.ts";
import { type AbsolutePath, isInside, parentOf } from "../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../profile/profile.ts";
import type { Shared } from "./shared.ts";
import type { Standing } from "./standing.ts";

/** A plan, and what it was made from. */
interface Planned {
  readonly plan: Plan;
  readonly side: { readonly profile: Profile };
  readonly standing: Pick<Standing, "backend">;
  readonly facts: Facts;
}

/** What is needed to let other calls know of one. */
type Here = Pick<Shared, "liveCalls" | "memory" | "loaded">;

/** Enters a call that runs a program. Throws `SANDBOX_UNAVAILABLE`: see `LiveCalls`. */
export function enterProgram(
  here: Here,
  profile: Profile,
  { mounts }: Pick<Facts, "mounts">,
  signal: AbortSignal | null,
): Promise<Entered> {
  const { isolate_calls: isIsolated } = here.loaded.config.sandbox;
  return here.liveCalls.enter(workOf(profile, mounts, { isIsolated, acts: true, builds: true }), signal);
}

/** Enters what a file tool does, if it writes or must not run beside others. Throws `SANDBOX_UNAVAILABLE`. */
export async function enterFiles(
  here: Here,
  profile: Profile,
  signal: AbortSignal | null,
): Promise<Entered | null> {
  const { isolate_calls: isIsolated } = here.loaded.config.sandbox;
  if (!isIsolated && !mayWrite(profile)) return null;
  const work = workOf(profile, here.memory.mounts.now(), { isIsolated, acts: true, builds: false });
  return here.liveCalls.enter(work, signal);
}

/** Enters a worker while its walls are built: nothing is done in them by itself. Throws `SANDBOX_UNAVAILABLE`. */
export function enterWorker(here: Here, profile: Profile): Promise<Entered> {
  const work = workOf(profile, here.memory.mounts.now(), { isIsolated: false, acts: false, builds: true });
  return here.liveCalls.enter(work, null);
}

/** The plan, in a shelter where others may change what its walls are built on. */
export function planBeside(live: Pick<Entered, "isBeside">, { plan, side, standing, facts }: Planned): Plan {
  if (!live.isBeside) return plan;
  const writable = writableIn(side.profile);
  return standing.backend.shelter(plan, { ...facts, writable });
}

/** A tree holds only so many paths that calls put placeholders on. */
const MOST_LOOKS = 10;

/**
 * Facts in which no placeholder of another call counts as something of the host's, whenever it came to be: whoever looks
 * at one that is not in the ledger yet would build walls on what its maker removes again. Throws `FACTS_UNSTABLE`, and what
 * the look throws.
 */
export async function factsBeside(
  ledger: Pick<Ledger, "held">,
  look: (held: ReadonlySet<AbsolutePath>) => Promise<Facts>,
): Promise<Facts> {
  let held = ledger.held();
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const facts = await look(held);
    const now = ledger.held();
    const isTaken = (path: AbsolutePath): boolean =>
      !held.has(path) && nodeAt(facts, path).kind !== "missing";
    if (![...now].some(isTaken)) return facts;
    held = new Set([...held, ...now]);
  }
  throw new CofferdamError("FACTS_UNSTABLE", "other calls kept changing what this one is about", {
    hint: "run it again when they have ended",
  });
}

/**
 * What appeared while a call ran, which began at this moment of `performance.now()`, and since another one of the clock, at which links
 * began to count as made by it. Placeholders, its own and those of others, which
 * come and go meanwhile, are nobody's.
 */
export async function appearedBeside(
  {
    host,
    memory,
    executed,
    executedIn,
    ledger,
  }: Pick<Shared, "host" | "memory" | "executed" | "executedIn" | "ledger">,
  profile: Profile,
  facts: Before & Pick<Facts, "mounts">,
  placeholders: readonly Placeholder[],
  { sinceMs, startedAt }: Pick<AppearedLook, "sinceMs" | "startedAt">,
): Promise<Appearances> {
  const own = placeholders.flatMap(({ path }) => [path, ...aliasesOf(facts.mounts, path)]);
  const before = { ...facts, hits: [...facts.hits, ...own] };
  const { found, ...rest } = await lookForAppeared(host, profile, before, {
    memory,
    executed,
    executedIn,
    sinceMs,
    startedAt,
    placeholders: () => ledger.held(),
  });
  const held = found.length === 0 ? new Set<AbsolutePath>() : ledger.held();
  const isThere = ({ path }: Appeared): boolean => !held.has(path) && statsOf(path) !== null;
  return { found: await flatMapInTurns(found, (one) => (isThere(one) ? one : [])), ...rest };
}

/** What the record says of it; nothing where there is nothing to say. */
export async function eventsOf({ found, unknown }: Appearances): Promise<readonly EventBody[]> {
  if (found.length === 0 && unknown === null) return [];
  const paths = await flatMapInTurns(found, ({ path }): string => path);
  const runs = await flatMapInTurns(found, (one) => one.runs);
  return [
    {
      type: "call.appeared",
      paths: await inTurns(boundedTextsInSteps(paths)),
      runs: await inTurns(boundedTextsInSteps(runs)),
      unknown,
    },
  ];
}

/** A path that a call was to leave as it is, and could write since something on the host replaced it. */
export interface Unprotected {
  readonly path: AbsolutePath;
  /** What git may run by itself now in the repository that obeys it, as `Appeared` tells it; nothing for what git does not. */
  readonly runs: readonly string[];
}

/** What lost its protection while a call ran, with what that means. */
export function unprotectedBeside(
  { host, memory }: Pick<Shared, "host" | "memory">,
  { repositories }: Pick<Facts, "repositories">,
  paths: readonly AbsolutePath[],
): readonly Unprotected[] {
  return paths.map((path) => {
    const sign = repositories.find(
      (one) =>
        [path, parentOf(path)].includes(one.path) ||
        [...one.configs, ...one.hooks, ...one.parts, ...one.detours].some((obeyed) => isInside(obeyed, path)),
    );
    return { path, runs: sign === undefined ? [] : memory.repositories.runs(host, sign, []).names };
  });
}

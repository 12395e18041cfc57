import { type Facts, nodeAt } from "../backend/facts.ts";
import { aliasesOf } from "../backend/host-mounts.ts";
import type { Placeholder } from "../backend/placeholder.ts";
import type { Plan } from "../backend/plan.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { Unprotected } from "../decide/receipt.ts";
import { CofferdamError } from "../errors.ts";
import { boundedTextsInSteps } from "../event/bounded.ts";
import type { EventBody } from "../event/event.ts";
import {
  type Appearances,
  type Appeared,
  type AppearedLook,
  type Before,
  lookForAppeared,
} from "../host/launch/appeared.ts";
import type { Ledger } from "../host/launch/ledger.ts";
import type { LiveCall } from "../host/launch/live-calls.ts";
import { workOf } from "../host/launch/work.ts";
import { statsOf } from "../host/look/nodes.ts";
import { flatMapInTurns, inTurns } from "../host/turns.ts";
import { type AbsolutePath, isInside, parentOf } from "../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../profile/profile.ts";
import type { SupervisorContext } from "./supervisor-context.ts";

interface Planned {
  readonly plan: Plan;
  readonly side: { readonly profile: Profile };
  readonly policy: Pick<CallPolicy, "backend">;
  readonly facts: Facts;
}

type Here = Pick<SupervisorContext, "liveCalls" | "memory" | "loaded">;

/** Registers a call that runs a program. Throws `SANDBOX_UNAVAILABLE`: see `LiveCalls`. */
export function registerProgram(
  here: Here,
  profile: Profile,
  { mounts }: Pick<Facts, "mounts">,
  signal: AbortSignal | null,
): Promise<LiveCall> {
  const { isolate_calls: isIsolated } = here.loaded.config.sandbox;
  return here.liveCalls.enter(workOf(profile, mounts, { isIsolated, acts: true, builds: true }), signal);
}

/** Registers a file tool's work if it writes or can't run concurrently. Throws `SANDBOX_UNAVAILABLE`. */
export async function registerFiles(
  here: Here,
  profile: Profile,
  signal: AbortSignal | null,
): Promise<LiveCall | null> {
  const { isolate_calls: isIsolated } = here.loaded.config.sandbox;
  if (!isIsolated && !mayWrite(profile)) return null;
  const work = workOf(profile, here.memory.mounts.now(), { isIsolated, acts: true, builds: false });
  return here.liveCalls.enter(work, signal);
}

/** Registers a worker while its sandbox is built: it does no work by itself. Throws `SANDBOX_UNAVAILABLE`. */
export function registerWorker(here: Here, profile: Profile): Promise<LiveCall> {
  const work = workOf(profile, here.memory.mounts.now(), { isIsolated: false, acts: false, builds: true });
  return here.liveCalls.enter(work, null);
}

/** The plan, in a shelter if other calls may change the paths that its sandbox is built on. */
export function planForShared(
  live: Pick<LiveCall, "isShared">,
  { plan, side, policy, facts }: Planned,
): Plan {
  if (!live.isShared) return plan;
  const writable = writableIn(side.profile);
  return policy.backend.shelter(plan, { ...facts, writable });
}

/** Maximum of looks: a tree holds only a limited number of placeholder paths. */
const MAX_LOOKS = 10;

/**
 * Looks up facts in which no placeholder of another call counts as a file of the host: a sandbox built on one breaks
 * when its maker removes it. Throws `FACTS_UNSTABLE`, and any error of the look.
 */
export async function factsWithoutPlaceholders(
  ledger: Pick<Ledger, "held">,
  look: (held: ReadonlySet<AbsolutePath>) => Promise<Facts>,
): Promise<Facts> {
  let held = ledger.held();
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const facts = await look(held);
    const now = ledger.held();
    const isTaken = (path: AbsolutePath): boolean =>
      !held.has(path) && nodeAt(facts, path).kind !== "missing";
    if (![...now].some(isTaken)) return facts;
    held = new Set([...held, ...now]);
  }
  throw new CofferdamError("FACTS_UNSTABLE", "other calls kept changing the files of this call", {
    hint: "run it again when they have ended",
  });
}

/**
 * Finds files that appeared during a call. `startedAt` is its start in `performance.now()`; `sinceMs` is the wall clock
 * from which links count as made by it. Placeholders of any call are not counted.
 */
export async function appearedDuring(
  {
    host,
    memory,
    executed,
    executedIn,
    ledger,
  }: Pick<SupervisorContext, "host" | "memory" | "executed" | "executedIn" | "ledger">,
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

/** The events that record it; empty if there is nothing to record. */
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

/** The paths that lost their protection while a call ran, each with its effect. */
export function unprotectedDuring(
  { host, memory }: Pick<SupervisorContext, "host" | "memory">,
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

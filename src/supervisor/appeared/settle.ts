import type { EventBody } from "../../event/event.ts";
import type { Appearances, Appeared, Fate } from "../../host/appeared.ts";
import { HeldBefore } from "../../host/git/checked-out.ts";
import type { Planted } from "../../host/quarantine/quarantine.ts";
import type { QuarantineItem, QuarantineRecord } from "../../host/quarantine/record.ts";
import { digestOfFile, readEntryAt } from "../../host/quarantine/tree.ts";
import { codeOf } from "../../host/system-error.ts";
import { type AbsolutePath, isInside } from "../../profile/path.ts";
import type { AfterCall, Agreed } from "./after-call.ts";
import { keepQuestion } from "./keep-question.ts";
import { type PlantedByCall, plantedOf } from "./planted.ts";

/**
 * Sees to it that nothing that hosts execute by itself is live after a call unless somebody said so: it is taken away first, and
 * given back where a person says so. What a checkout brought, and what the config says to leave, is reported. Each thing comes back
 * with what became of it.
 */
export async function settleAppeared(appearances: Appearances, call: AfterCall): Promise<Appearances> {
  const { appeared: policy } = call.shared;
  const writable = call.profile.files.flatMap(({ path, access }) => (access === "write" ? [path] : []));
  const planted = plantedOf(appearances.found, {
    startedAt: call.startedAt,
    writable,
    protectedBefore: call.before.hits,
    executed: call.shared.executed,
  });
  const inPlace =
    policy === "report"
      ? new Map(planted.map(({ appeared }) => [appeared, BY_CONFIG]))
      : await fatesInPlace(planted, call);
  const taken = planted.filter(({ appeared }) => !inPlace.has(appeared));
  const fates = new Map([...inPlace, ...(taken.length === 0 ? [] : await takeAway(taken, call))]);
  return {
    ...appearances,
    found: appearances.found.map((one) => ({ ...one, fate: fates.get(one) ?? one.fate })),
  };
}

/** So many are compared with what was there before; of more, the others are taken. */
const MAX_COMPARED = 200;

const BY_CONFIG: Fate = { kind: "reported", because: "`sandbox.appeared` is `report`" };
const CHECKED_OUT: Fate = { kind: "reported", because: "a commit that was there before holds it" };
const AGREED: Fate = { kind: "kept", by: "whoever approved the call" };

async function fatesInPlace(
  planted: readonly PlantedByCall[],
  call: AfterCall,
): Promise<ReadonlyMap<Appeared, Fate>> {
  using heldBefore = new HeldBefore(call.before.repositories, call.startedAt);
  const fates = new Map<Appeared, Fate>();
  for (const one of planted.slice(0, MAX_COMPARED)) {
    const fate = await fateInPlace(one, call, heldBefore);
    if (fate !== null) fates.set(one.appeared, fate);
  }
  return fates;
}

/** What may stay where it was made; null for what may not. */
async function fateInPlace(
  { appeared, take }: PlantedByCall,
  { shared, agreed }: AfterCall,
  heldBefore: HeldBefore,
): Promise<Fate | null> {
  if (shared.appeared === "ask" && (await isAgreed(take, agreed))) return AGREED;
  for (const { path } of take) {
    if (await isKeptBefore(path, shared)) continue;
    const mayBeCheckedOut = appeared.kind === "protected";
    if (!mayBeCheckedOut || !(await heldBefore.isCheckedOut(path))) return null;
  }
  return CHECKED_OUT;
}

/** All that is to be taken is the very file that was agreed to, or a folder that holds it alone. */
async function isAgreed(take: PlantedByCall["take"], agreed: readonly Agreed[]): Promise<boolean> {
  const [only, ...others] = take;
  const file = agreed.find(({ path }) => only !== undefined && isInside(path, only.path));
  if (only === undefined || others.length > 0 || file === undefined || file.content === null) return false;
  const below = file.path.slice(only.path.length + 1);
  return (await digestAt(only.path)) === digestOfFile(file.content, below);
}

/** Null for what can't be read, too. */
async function digestAt(path: AbsolutePath): Promise<string | null> {
  try {
    return (await readEntryAt(path)).digest;
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return null;
  }
}

/** Another call ended while this one ran, and a person gave back exactly this. */
async function isKeptBefore(path: AbsolutePath, { quarantine }: AfterCall["shared"]): Promise<boolean> {
  if (!quarantine.hasKept(path)) return false;
  const digest = await digestAt(path);
  return digest !== null && quarantine.isKept(path, digest);
}

async function takeAway(
  taken: readonly PlantedByCall[],
  call: AfterCall,
): Promise<ReadonlyMap<Appeared, Fate>> {
  const { shared, from, record } = call;
  const planted = outermost(taken.flatMap(({ take }) => take));
  const done = await shared.quarantine.take(planted, { ...from, workspace: shared.loaded.config.workspace });
  record(quarantinedEvent(done));
  call.onTaken();
  const isAsked = shared.appeared === "ask" && shared.standing.mode === "interactive" && isWorthAsking(done);
  // Who ended the call waits for its end, and for no question.
  const asks = isAsked && call.asks?.signal?.aborted !== true ? call.asks : null;
  const by = asks === null ? null : await keepQuestion(done, call, asks);
  const problems = by === null ? [] : await restored(done, by, call);
  return new Map(taken.map(({ appeared, take }) => [appeared, fateOf(take, done, by, problems)]));
}

/** What lies in something else that is taken goes with that. */
function outermost(planted: readonly Planted[]): readonly Planted[] {
  const byPath = new Map(planted.map((one) => [one.path, one]));
  return [...byPath.values()].filter(
    ({ path }) => ![...byPath.keys()].some((other) => path.startsWith(`${other}/`)),
  );
}

/** Nobody can say yes to what can't be given back. */
function isWorthAsking({ items }: QuarantineRecord): boolean {
  return items.some(({ state, digest }) => (state === "taken" || state === "aside") && digest !== null);
}

/** Gives back what a person said yes to; the paths that could not be, with the reason. */
async function restored(
  { id, items }: QuarantineRecord,
  by: string,
  { shared, record }: AfterCall,
): Promise<readonly { readonly path: string; readonly problem: string | null }[]> {
  const paths = items.slice(0, MAX_TOLD).map(({ path }) => path);
  record({ type: "call.restored", quarantineId: id, paths, more: items.length - paths.length, by });
  return (await shared.quarantine.restore(id)).filter(({ problem }) => problem !== null);
}

function fateOf(
  take: readonly Planted[],
  { id, items }: QuarantineRecord,
  by: string | null,
  problems: readonly { readonly path: string }[],
): Fate {
  const own = items.filter((item) =>
    take.some(({ path }) => path === item.path || path.startsWith(`${item.path}/`)),
  );
  const live = own.find(({ state }) => state === "live");
  if (live !== undefined) return { kind: "live", problem: live.problem ?? "it could not be moved" };
  if (by !== null && !own.some((item) => problems.some(({ path }) => path === item.path)))
    return { kind: "kept", by };
  return { kind: "quarantined", id, aside: own.find(({ aside }) => aside !== null)?.aside ?? null };
}

/** The event that tells what was taken away. */
export function quarantinedEvent({ id, items }: QuarantineRecord): EventBody {
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

/** So many are written down one by one; the quarantine's own record has all. */
const MAX_TOLD = 100;

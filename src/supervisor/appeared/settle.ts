import { thrownText } from "../../errors.ts";
import type { EventBody } from "../../event/event.ts";
import type { Appearances, Appeared, Fate } from "../../host/appeared.ts";
import { HeldBefore } from "../../host/git/checked-out.ts";
import { isOwnCode } from "../../host/installation/own-code.ts";
import { statsOf } from "../../host/nodes.ts";
import type { Planted, Settled } from "../../host/quarantine/quarantine.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "../../host/quarantine/record.ts";
import { digestOfFile, readEntryAt } from "../../host/quarantine/tree.ts";
import { codeOf } from "../../host/system-error.ts";
import { accessTo } from "../../profile/access-to.ts";
import { OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, parentOf, upwards } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { AfterCall, Agreed, Asks } from "./after-call.ts";
import { keepQuestion } from "./keep-question.ts";
import { type PlantedByCall, plantedOf } from "./planted.ts";

/**
 * Sees to it that nothing that hosts execute by itself is live after a call unless somebody said so: it is taken away first, and
 * given back where a person says so. What a checkout brought, and what the config says to leave, is reported. Each thing comes back
 * with what became of it.
 */
export async function settleAppeared(appearances: Appearances, call: AfterCall): Promise<Appearances> {
  const { appeared: policy } = call.shared;
  const { isMadeSince = () => false } = call;
  const writable = writableIn(call.profile);
  const { identities } = call.shared.host.installation();
  const planted = plantedOf(appearances.found, {
    startedAt: call.startedAt,
    writable,
    protectedBefore: call.before.hits,
    executed: call.shared.executed,
    executedIn: call.shared.executedIn,
    isOwnCode: (path) => isOwnCode(identities, path),
  });
  // A repository's parts are written anew, with what they said, by whoever works in it.
  const since = planted.filter(({ appeared, take }) =>
    [appeared, ...take].every(({ path }) => isMadeSince(path)),
  );
  const own = planted.filter((one) => !since.includes(one));
  const inPlace =
    policy === "report"
      ? new Map(own.filter((one) => !isOurs(one)).map(({ appeared }) => [appeared, BY_CONFIG]))
      : await fatesInPlace(own, call);
  for (const { appeared } of since) inPlace.set(appeared, MADE_SINCE);
  const taken = planted.filter(({ appeared }) => !inPlace.has(appeared));
  const fates = new Map([...inPlace, ...(taken.length === 0 ? [] : await takeAway(taken, call))]);
  return {
    ...appearances,
    found: appearances.found.map((one) => ({ ...one, fate: fates.get(one) ?? one.fate })),
  };
}

/** What this product would load itself, or could not start because of, stays nowhere: no config can say that it does. */
function isOurs({ take }: PlantedByCall): boolean {
  return take.some(({ by }) => by === OURSELVES);
}

/** Folders that a profile lets calls write. */
export function writableIn({ files }: Profile): readonly AbsolutePath[] {
  return files.flatMap(({ path, access }) => (access === "write" ? [path] : []));
}

/** So many are compared with what was there before; of more, the others are taken. */
const MAX_COMPARED = 200;

const BY_CONFIG: Fate = { kind: "reported", because: "`sandbox.appeared` is `report`" };
/** The fate of what came to be after a call that was cut off. */
export const MADE_SINCE: Fate = { kind: "reported", because: "it was made after the call had ended" };
const CHECKED_OUT: Fate = {
  kind: "reported",
  because: "a commit holds it that was there before the call, perhaps by an earlier call",
};
const KEPT_BEFORE: Fate = { kind: "reported", because: "it was given back while the call ran" };
const GONE: Fate = { kind: "reported", because: "it was not there any more when it was to be taken away" };
const AGREED: Fate = { kind: "kept", by: "whoever approved the call" };

async function fatesInPlace(
  planted: readonly PlantedByCall[],
  call: AfterCall,
): Promise<Map<Appeared, Fate>> {
  const fates = new Map<Appeared, Fate>();
  if (planted.length === 0) return fates;
  const { before, startedAt, profile } = call;
  const isOnlyRead = (path: AbsolutePath): boolean =>
    accessTo(profile, path, { kind: "folder", bornInside: false }) === "read";
  using heldBefore = new HeldBefore(before.repositories, startedAt, isOnlyRead);
  const kept = call.shared.quarantine.keptSince(call.startedAt);
  for (const one of planted.slice(0, MAX_COMPARED)) {
    const fate = await fateInPlace(one, call, heldBefore, kept);
    if (fate !== null) fates.set(one.appeared, fate);
  }
  return fates;
}

/** What people gave back while the call ran; looked up where anything is planted. */
type Kept = ReturnType<AfterCall["shared"]["quarantine"]["keptSince"]>;

/** What may stay where it was made; null for what may not. */
async function fateInPlace(
  { appeared, take }: PlantedByCall,
  { shared, agreed, profile }: AfterCall,
  heldBefore: HeldBefore,
  kept: Kept,
): Promise<Fate | null> {
  if (shared.appeared === "ask" && (await isAgreed(take, agreed))) return AGREED;
  let fate = KEPT_BEFORE;
  for (const { path } of take) {
    if (await isKeptBefore(path, kept)) continue;
    const mayBeCheckedOut =
      appeared.kind === "protected" &&
      appeared.obeyedBy?.by !== OURSELVES &&
      !isLinkIn(writableIn(profile), path);
    if (!mayBeCheckedOut || !(await heldBefore.isCheckedOut(path))) return null;
    fate = CHECKED_OUT;
  }
  return fate;
}

/** A link right in one of these folders, where nothing can hold it: no later call could be given its sandbox. */
function isLinkIn(writable: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return writable.includes(parentOf(path)) && statsOf(path)?.isSymbolicLink() === true;
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
async function isKeptBefore(path: AbsolutePath, kept: Kept): Promise<boolean> {
  const digests = kept.get(path);
  if (digests === undefined) return false;
  const digest = await digestAt(path);
  return digest !== null && digests.has(digest);
}

async function takeAway(
  taken: readonly PlantedByCall[],
  call: AfterCall,
): Promise<ReadonlyMap<Appeared, Fate>> {
  const { shared, from, record } = call;
  const planted = outermost(taken.flatMap(({ take }) => take));
  const done = await shared.quarantine.take(planted, from);
  record(quarantinedEvent(done));
  call.onTaken();
  const isAsked =
    shared.appeared === "ask" && shared.standing.mode === "interactive" && isWorthAsking(done, shared);
  // Who ended the call waits for its end, and for no question.
  const asks = isAsked && call.asks?.signal?.aborted !== true ? call.asks : null;
  const answer = asks === null ? NOT_KEPT : await answerOf(done, call, asks);
  const items = new Map(done.items.map((item) => [item.path, item]));
  return new Map(taken.map(({ appeared, take }) => [appeared, fateOf(itemsOf(take, items), done, answer)]));
}

/** What lies in something else that is taken goes with that. */
function outermost(planted: readonly Planted[]): readonly Planted[] {
  const byPath = new Map<string, Planted>(planted.map((one) => [one.path, one]));
  return [...byPath.values()].filter(
    ({ path }) => ![...upwards(parentOf(path))].some((above) => byPath.has(above)),
  );
}

/** Each of these, or what it lay in. */
function itemsOf(
  take: readonly Planted[],
  items: ReadonlyMap<string, QuarantineItem>,
): readonly QuarantineItem[] {
  return take.flatMap(({ path }) => [...upwards(path)].flatMap((at) => items.get(at) ?? []));
}

/** Nobody can say yes to what can't be given back, as what no record could be written of. */
function isWorthAsking({ id, items }: QuarantineRecord, { quarantine }: AfterCall["shared"]): boolean {
  return items.some((item) => isHeld(item) && item.digest !== null) && quarantine.find(id) !== null;
}

/** Who said yes, null where nobody did, and what of it could not be given back, or asked about, and why. */
interface KeepAnswer {
  readonly by: string | null;
  readonly problems: ReadonlyMap<string, string>;
}

const NOT_KEPT: KeepAnswer = { by: null, problems: new Map() };

/** Whatever fails while somebody is asked, all of it is away by then: the call has its own outcome. */
async function answerOf(done: QuarantineRecord, call: AfterCall, asks: Asks): Promise<KeepAnswer> {
  try {
    const by = await keepQuestion(done, call, asks);
    return by === null ? NOT_KEPT : await restored(done, by, call);
  } catch (cause) {
    const problem = `the question failed: ${thrownText(cause)}`;
    return { by: null, problems: new Map(done.items.map(({ path }) => [path, problem])) };
  }
}

async function restored(
  done: QuarantineRecord,
  by: string,
  { shared, record }: AfterCall,
): Promise<KeepAnswer> {
  const { id, items } = done;
  const paths = items.slice(0, MAX_TOLD).map(({ path }) => path);
  record({ type: "call.restored", quarantineId: id, paths, more: items.length - paths.length, by });
  const settled = await restoredOrNot(id, shared);
  // Somebody may have given it back, or removed it, while the question was open.
  const now = new Map(shared.quarantine.find(id)?.items.map(({ path, state }) => [path, state]));
  const why = new Map(settled.map(({ path, problem }) => [path, problem]));
  const problems = items
    .filter((item) => isHeld(item) && now.get(item.path) !== "kept")
    .map(({ path }) => [path, why.get(path) ?? "it is not held any more"] as const);
  return { by, problems: new Map(problems) };
}

/** Nothing is given back while somebody else keeps the quarantine for long, as to give back much, nor what a fault keeps. */
async function restoredOrNot(id: string, { quarantine }: AfterCall["shared"]): Promise<readonly Settled[]> {
  try {
    return await quarantine.restore(id);
  } catch (cause) {
    return quarantine.find(id)?.items.map(({ path }) => ({ path, problem: thrownText(cause) })) ?? [];
  }
}

function fateOf(
  own: readonly QuarantineItem[],
  { id }: QuarantineRecord,
  { by, problems }: KeepAnswer,
): Fate {
  const live = own.find(({ state }) => state === "live");
  if (live !== undefined) return { kind: "live", problem: live.problem ?? "it could not be moved" };
  const held = own.filter(isHeld);
  if (held.length === 0) return GONE;
  const [problem = null] = held.flatMap(({ path }) => problems.get(path) ?? []);
  if (by !== null && problem === null) return { kind: "kept", by };
  return { kind: "quarantined", id, aside: held.find(({ aside }) => aside !== null)?.aside ?? null, problem };
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

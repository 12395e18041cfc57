import { CONFIG_NAME } from "../../config/locate.ts";
import type { Appearances, Appeared, Fate } from "../../host/appeared.ts";
import { HeldBefore } from "../../host/git/checked-out.ts";
import { isOwnCode } from "../../host/installation/own-code.ts";
import type { Likeness } from "../../host/likeness.ts";
import { isLink } from "../../host/nodes.ts";
import { digestOfFile, readEntryAt } from "../../host/quarantine/tree.ts";
import { codeOf } from "../../host/system-error.ts";
import { flatMapInTurns, WorkTurn } from "../../host/turns.ts";
import { accessTo } from "../../profile/access-to.ts";
import { OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, nameOf, parentOf } from "../../profile/path.ts";
import { writableIn } from "../../profile/profile.ts";
import type { AfterCall, Agreed } from "./after-call.ts";
import { runsIn } from "./new-repositories.ts";
import { type PlantedByCall, plantedOf } from "./planted.ts";
import { repositoriesInTheWay } from "./room.ts";
import { type Decided, type Fates, takeAway } from "./take-away.ts";

/**
 * Sees to it that nothing that hosts execute by itself is live after a call unless somebody said so: it is taken away first, and
 * given back where a person says so. What a checkout brought, and what the config says to leave, is reported. Each thing comes back
 * with what became of it.
 */
export async function settleAppeared(appearances: Appearances, call: AfterCall): Promise<Appearances> {
  if (appearances.found.length === 0) return appearances;
  const writable = writableIn(call.profile);
  const { identities } = call.shared.host.installation();
  const planted = await plantedOf(appearances.found, {
    startedAt: call.startedAt,
    writable,
    newLinks: appearances.newLinks ?? new Set(),
    isOpen: (path) => accessTo(call.profile, path, { kind: "file", bornInside: true }) === "write",
    before: call.before,
    repositoriesBefore: call.before.repositories.length,
    executed: call.shared.executed,
    executedIn: call.shared.executedIn,
    runsIn: (path) => runsIn(path, call),
    isOwnCode: (path) => isOwnCode(identities, path),
  });
  const { fates, linked } = await fatesOfWhatStays(planted, call);
  const taken = await flatMapInTurns(planted, (one) => (fates.has(one.appeared) ? [] : one));
  if (taken.length > 0) await takeAway(taken, call, { fates, linked });
  const inTheWay = await repositoriesInTheWay(appearances.found, fates, call);
  if (inTheWay.length > 0) await takeAway(inTheWay, call, { fates, linked });
  const found = await flatMapInTurns(appearances.found, (one): Appeared => {
    const fate = fates.get(one);
    return fate === undefined ? one : { ...one, fate };
  });
  return { ...appearances, found };
}

/** What this product would load itself, or could not start because of, stays nowhere: no config can say that it does. */
function isOurs({ take }: PlantedByCall): boolean {
  return take.some(({ by }) => by === OURSELVES);
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
const AGREED: Fate = { kind: "kept", by: "whoever approved the call" };

/** What stays where it was made, or can't be the call's. */
async function fatesOfWhatStays(planted: readonly PlantedByCall[], call: AfterCall): Promise<Decided> {
  const { isMadeSince = () => false, shared } = call;
  // A repository's parts are written anew, with what they said, by whoever works in it.
  const isSince = ({ appeared, take }: PlantedByCall): boolean =>
    [appeared, ...take].every(({ path }) => isMadeSince(path));
  const since = new Set(await flatMapInTurns(planted, (one) => (isSince(one) ? one : [])));
  const own = await flatMapInTurns(planted, (one) => (since.has(one) ? [] : one));
  const decided = shared.appeared === "report" ? await fatesByConfig(own) : await fatesInPlace(own, call);
  for (const { appeared } of since) decided.fates.set(appeared, MADE_SINCE);
  return decided;
}

async function fatesByConfig(planted: readonly PlantedByCall[]): Promise<Decided> {
  const turn = new WorkTurn();
  const fates: Fates = new Map();
  for (const one of planted) {
    if (turn.isOver) await turn.pause();
    if (!isOurs(one)) fates.set(one.appeared, BY_CONFIG);
  }
  return { fates, linked: new Set() };
}

async function fatesInPlace(planted: readonly PlantedByCall[], call: AfterCall): Promise<Decided> {
  const [fates, linked]: [Fates, Set<Appeared>] = [new Map(), new Set()];
  if (planted.length === 0) return { fates, linked };
  const { before, startedAt, profile } = call;
  const isOnlyRead = (path: AbsolutePath): boolean =>
    accessTo(profile, path, { kind: "folder", bornInside: false }) === "read";
  using heldBefore = new HeldBefore(before.repositories, startedAt, isOnlyRead);
  const kept = await call.shared.quarantine.keptSince(call.startedAt);
  for (const one of planted.slice(0, MAX_COMPARED)) {
    const fate = await fateInPlace(one, call, heldBefore, kept);
    if (fate === "linked") linked.add(one.appeared);
    else if (fate !== null) fates.set(one.appeared, fate);
  }
  return { fates, linked };
}

/** What people gave back while the call ran; looked up where anything is planted. */
type Kept = Awaited<ReturnType<AfterCall["shared"]["quarantine"]["keptSince"]>>;

/** What may stay where it was made; null for what may not, `linked` for what may not as it has another name. */
async function fateInPlace(
  { appeared, take }: PlantedByCall,
  { shared, agreed, profile }: AfterCall,
  heldBefore: HeldBefore,
  kept: Kept,
): Promise<Fate | "linked" | null> {
  if (shared.appeared === "ask" && (await isAgreed(take, agreed))) return AGREED;
  let fate = KEPT_BEFORE;
  for (const { path } of take) {
    const toKept = await likenessToKept(path, kept);
    if (toKept === "same") continue;
    const mayBeCheckedOut =
      ["protected", "way"].includes(appeared.kind) &&
      (appeared.obeyedBy?.by !== OURSELVES || isConfig(path)) &&
      !isLinkIn(writableIn(profile), path);
    const toHeld = mayBeCheckedOut ? await heldBefore.likenessOf(path) : "other";
    if (toHeld !== "same") return toKept === "linked" || toHeld === "linked" ? "linked" : null;
    fate = CHECKED_OUT;
  }
  return fate;
}

/** True for a config of ours: nothing of it applies before a person has trusted these very bytes at this path. */
function isConfig(path: AbsolutePath): boolean {
  return nameOf(path) === CONFIG_NAME;
}

/** A link right in one of these folders, where nothing can hold it: no later call could be given its sandbox. */
function isLinkIn(writable: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return writable.includes(parentOf(path)) && isLink(path);
}

/** All that is to be taken is the very file that was agreed to, under no other name, or a folder that holds it alone. */
async function isAgreed(take: PlantedByCall["take"], agreed: readonly Agreed[]): Promise<boolean> {
  const [only, ...others] = take;
  const file = agreed.find(({ path }) => only !== undefined && isInside(path, only.path));
  if (only === undefined || others.length > 0 || file === undefined || file.content === null) return false;
  const below = file.path.slice(only.path.length + 1);
  return (await likenessTo(new Set([digestOfFile(file.content, below)]), only.path)) === "same";
}

/** Compares what stands at a path with these digests; what can't be read is like none of them. */
async function likenessTo(digests: ReadonlySet<string | null>, path: AbsolutePath): Promise<Likeness> {
  try {
    const { digest, isLinked } = await readEntryAt(path);
    if (digest === null || !digests.has(digest)) return "other";
    return isLinked ? "linked" : "same";
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return "other";
  }
}

/** Another call ended while this one ran, and a person gave back exactly this. */
async function likenessToKept(path: AbsolutePath, kept: Kept): Promise<Likeness> {
  const digests = kept.get(path);
  return digests === undefined ? "other" : likenessTo(digests, path);
}

import { CONFIG_NAME } from "../../config/locate.ts";
import type { Appearances, Appeared, Fate } from "../../host/launch/appeared.ts";
import { digestOfFile, readEntryAt } from "../../host/launch/quarantine/tree.ts";
import { CommittedBefore } from "../../host/look/git/checked-out.ts";
import { isOwnCode } from "../../host/look/installation/own-code.ts";
import type { Likeness } from "../../host/look/likeness.ts";
import { isLink } from "../../host/look/nodes.ts";
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
import { type DecidedFates, type Fates, takeAway } from "./take-away.ts";

/**
 * Ensures that no file which hosts execute by itself is live after a call without approval. Such files are taken away
 * first, and restored if a person approves. Files from a checkout, and those the config leaves, are only reported. Each
 * comes back with its fate.
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

/** Maximum of files compared with earlier content; further ones are taken away. */
const MAX_COMPARED = 200;

const BY_CONFIG: Fate = { kind: "reported", because: "`sandbox.appeared` is `report`" };
/** The fate of a file made after an interrupted call. */
export const MADE_SINCE: Fate = { kind: "reported", because: "it was created after the call had ended" };
const CHECKED_OUT: Fate = {
  kind: "reported",
  because: "it is in a commit from before the call, perhaps from an earlier call",
};
const KEPT_BEFORE: Fate = { kind: "reported", because: "it was restored while the call ran" };
const AGREED: Fate = { kind: "kept", by: "the approver of the call" };

/** The fates of files that stay in place, or that the call can't have made. */
async function fatesOfWhatStays(planted: readonly PlantedByCall[], call: AfterCall): Promise<DecidedFates> {
  const { isMadeSince = () => false, shared } = call;
  // Anyone who works in a repository writes its parts again with the same content.
  const isSince = ({ appeared, take }: PlantedByCall): boolean =>
    [appeared, ...take].every(({ path }) => isMadeSince(path));
  const since = new Set(await flatMapInTurns(planted, (one) => (isSince(one) ? one : [])));
  const own = await flatMapInTurns(planted, (one) => (since.has(one) ? [] : one));
  const decided = shared.appeared === "report" ? await fatesByConfig(own) : await fatesInPlace(own, call);
  for (const { appeared } of since) decided.fates.set(appeared, MADE_SINCE);
  return decided;
}

async function fatesByConfig(planted: readonly PlantedByCall[]): Promise<DecidedFates> {
  const turn = new WorkTurn();
  const fates: Fates = new Map();
  for (const one of planted) {
    if (turn.isOver) await turn.pause();
    // Files that this product would load, or that stop it from starting, are left by no config.
    if (!one.take.some(({ by }) => by === OURSELVES)) fates.set(one.appeared, BY_CONFIG);
  }
  return { fates, linked: new Set() };
}

async function fatesInPlace(planted: readonly PlantedByCall[], call: AfterCall): Promise<DecidedFates> {
  const [fates, linked]: [Fates, Set<Appeared>] = [new Map(), new Set()];
  if (planted.length === 0) return { fates, linked };
  const { before, startedAt, profile } = call;
  const isOnlyRead = (path: AbsolutePath): boolean =>
    accessTo(profile, path, { kind: "folder", bornInside: false }) === "read";
  using committed = new CommittedBefore(before.repositories, startedAt, isOnlyRead);
  const kept = await call.shared.quarantine.keptSince(call.startedAt);
  for (const one of planted.slice(0, MAX_COMPARED)) {
    const fate = await fateInPlace(one, call, committed, kept);
    if (fate === "linked") linked.add(one.appeared);
    else if (fate !== null) fates.set(one.appeared, fate);
  }
  return { fates, linked };
}

/** Files that people restored while the call ran; looked up only if anything is planted. */
type Kept = Awaited<ReturnType<AfterCall["shared"]["quarantine"]["keptSince"]>>;

/** The fate of a file that may stay; null if it may not, `linked` if it may not because of another name. */
async function fateInPlace(
  { appeared, take }: PlantedByCall,
  { shared, agreed, profile }: AfterCall,
  committed: CommittedBefore,
  kept: Kept,
): Promise<Fate | "linked" | null> {
  if (shared.appeared === "ask" && (await isAgreed(take, agreed))) return AGREED;
  let fate = KEPT_BEFORE;
  for (const { path } of take) {
    const toKept = await likenessToKept(path, kept);
    if (toKept === "same") continue;
    const mayBeCheckedOut =
      ["protected", "way"].includes(appeared.kind) &&
      // A config of ours does not apply before a person has trusted these very bytes at this path.
      (appeared.obeyedBy?.by !== OURSELVES || nameOf(path) === CONFIG_NAME) &&
      // No mount can hold a link directly in a writable folder, so later calls could get no sandbox.
      !(writableIn(profile).includes(parentOf(path)) && isLink(path));
    const toHeld = mayBeCheckedOut ? await committed.likenessOf(path) : "other";
    if (toHeld !== "same") return toKept === "linked" || toHeld === "linked" ? "linked" : null;
    fate = CHECKED_OUT;
  }
  return fate;
}

/** True if all paths to take are the very file that was approved, with no other name, or a folder with only that. */
async function isAgreed(take: PlantedByCall["take"], agreed: readonly Agreed[]): Promise<boolean> {
  const [only, ...others] = take;
  const file = agreed.find(({ path }) => only !== undefined && isInside(path, only.path));
  if (only === undefined || others.length > 0 || file === undefined || file.content === null) return false;
  const below = file.path.slice(only.path.length + 1);
  return (await likenessTo(new Set([digestOfFile(file.content, below)]), only.path)) === "same";
}

/** Compares the file at a path with these digests; an unreadable file equals none. */
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

/** Another call ended while this one ran, and a person restored exactly this file. */
async function likenessToKept(path: AbsolutePath, kept: Kept): Promise<Likeness> {
  const digests = kept.get(path);
  return digests === undefined ? "other" : likenessTo(digests, path);
}

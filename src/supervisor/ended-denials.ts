import type { Facts } from "../backend/facts.ts";
import type { Plan } from "../backend/plan.ts";
import type { Ended } from "../host/run-options.ts";
import { type AbsolutePath, isInside, parentOf, ROOT } from "../profile/path.ts";
import { isOpaque } from "../shell/word.ts";
import { type Call, lineOf, scriptOf, wordsOf } from "../tool/call.ts";
import { askDenial } from "./ask-denial.ts";
import { certificateDenials } from "./certificate-denials.ts";
import { commandsIn } from "./commands-in.ts";
import { isComplaint, withoutDots } from "./complaints.ts";
import type { Denial } from "./denial.ts";
import { deviceDenials } from "./device-denials.ts";
import { egressDenials } from "./egress-denials.ts";
import { ceilingUnder } from "./explain.ts";
import { failedDenials } from "./failed-denials.ts";
import { blockedDenials, type GitWork, isLeftByGit, listedByGit, unreplacedDenials } from "./git-left.ts";
import { hookDenials } from "./hook-denials.ts";
import { type Evidence, type LimitHit, limitHits, maskDenials } from "./mask-denials.ts";
import { namedPaths, plainParts } from "./named-paths.ts";
import type { NetworkUse } from "./network-use.ts";
import type { ProgramOutcome, Ran } from "./outcome.ts";
import { planLimits } from "./plan-limits.ts";
import type { Side } from "./prepare.ts";
import { type NamedPath, programDenials } from "./program-denials.ts";
import { shownLinks } from "./shown-links.ts";
import { heldPaths, type Standing } from "./standing.ts";
import type { Unstartable } from "./start-fault.ts";
import { whyUnstartable } from "./unstartable.ts";

/** More are told to nobody. */
const MAX_DENIALS = 5;
/** Relative names are looked for from so many folders at most. */
const MAX_BASES = 20;

/** A call that ran, and what decided about it. */
interface EndedCall {
  readonly call: Call;
  readonly side: Side;
  readonly standing: Standing;
  readonly facts: Facts;
}

/** How a program ended, and what it said. */
interface End {
  readonly ended: Ended;
  readonly kind: Extract<ProgramOutcome, Ran>["kind"];
  /** The end of what it said on standard error. */
  readonly said: string;
  readonly egress: NetworkUse | null;
  /** The supervisor's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * What the sandbox kept a program from, as far as that is known when it has ended: hosts that the egress proxy refused,
 * limits of the plan that it complained about, and paths and hosts of its own words. At most five, what is certain first.
 */
export function endedDenials(given: EndedCall, plan: Plan, end: End): readonly Denial[] {
  const { side, standing } = given;
  const call = { ...given, standing: { ...standing, ceiling: ceilingUnder(standing, side) } };
  const refused = egressDenials(end.egress?.refused ?? [], call.standing, end.env);
  if (end.kind !== "failed" && !isComplaint(end.said)) return refused;
  const words = wordsIn(call);
  const cwd = call.side.launch?.cwd ?? ROOT;
  const named = namedPaths(words, cwd, call.side.profile, shownLinks(call.standing));
  const { byGit, byLimits } = limitDenials(call, plan, end, words, named);
  const byWords =
    end.kind === "failed" ? [...lackDenials(call, end), ...wordDenials(call, end, words, named)] : [];
  const isOneOf = (denials: readonly Denial[], { operation, target }: Denial): boolean =>
    denials.some((one) => one.operation === operation && isBelow(target, one.target));
  const isGuess = ({ operation, certainty }: Denial): boolean =>
    operation === "write" && certainty === "likely" && byGit.length + byLimits.length > 0;
  const others = byWords.filter((one) => !isOneOf(byGit, one) && !isGuess(one));
  // What the call's words name is nearer to what it did than the limit above that.
  const isNamed = (limit: Denial): boolean => others.some((one) => isOneOf([limit], one));
  const all = unique([...refused, ...byGit, ...others, ...byLimits.filter((one) => !isNamed(one))]);
  return [
    ...all.filter(({ certainty }) => certainty === "certain"),
    ...all.filter(({ certainty }) => certainty === "likely"),
  ].slice(0, Math.max(MAX_DENIALS, refused.length));
}

/** The words of the call's commands behind their programs, and what a shell opens by itself (`> file`). */
function wordsIn({ call }: EndedCall): readonly string[] {
  const commands = lineOf(call.input).commands.map(({ words }) => words.filter((word) => !isOpaque(word)));
  const script = scriptOf(call.input);
  return [...commands.flatMap((one) => one.slice(1)), ...(script === null ? [] : plainParts(script))];
}

function lackDenials({ call, side, standing }: EndedCall, { ended, said }: End): readonly Denial[] {
  const { code, ...how } = ended;
  const cwd = side.launch?.cwd ?? ROOT;
  return failedDenials({ ...how, input: call.input, cwd, profile: side.profile, code, said }, standing);
}

function wordDenials(
  { call, side, standing, facts }: EndedCall,
  { ended: { code, refused = [] }, said, egress, env }: End,
  words: readonly string[],
  named: readonly NamedPath[],
): readonly Denial[] {
  const [isByYes, isTool] = [side.digest === standing.onYes.digest, call.use !== null];
  const { mac, user } = facts;
  const told = askDenial(standing, { isByYes, isTool });
  const ofDevices = mac === null ? deviceDenials({ said, words, user }, told) : [];
  const inside = side.launch?.env ?? {};
  const ofCertificates = certificateDenials({ said, profile: side.profile, inside, outside: env });
  const others = programDenials(
    {
      named,
      words,
      code,
      said,
      refused,
      isByYes,
      isTool,
      isProxied: egress !== null,
      isOffline: side.profile.network === "none",
    },
    standing,
  );
  return [...ofDevices, ...ofCertificates, ...others];
}

/** What the plan's own limits kept it from: told by git, by hooks that git started, and by everything else. */
function limitDenials(
  { call, side, standing, facts }: EndedCall,
  plan: Plan,
  { kind, said }: End,
  words: readonly string[],
  named: readonly NamedPath[],
): { readonly byGit: readonly Denial[]; readonly byLimits: readonly Denial[] } {
  const [cwd, hasFailed] = [side.launch?.cwd ?? ROOT, kind === "failed"];
  if (!isComplaint(said) && !(hasFailed && listedByGit(said).length > 0)) return { byGit: [], byLimits: [] };
  const { repositories } = facts;
  const tops = repositories.map(({ path }) => parentOf(path));
  const commandsInside = commandsIn(call.input);
  const evidence: Evidence = {
    said,
    words: withoutDots(wordsOf(call.input).join(" ")),
    commands: commandsInside,
    cwd,
    bases: basesOf(words, cwd, tops, named),
    hasFailed,
  };
  const { roots } = standing.settings;
  const isByYes = side.digest === standing.onYes.digest;
  const ask = askDenial(standing, { isByYes, isTool: call.use !== null });
  const limits = planLimits({ plan, facts, roots, named: heldPaths(standing.ceiling.layers) }, ask);
  const hits = limitHits(evidence, limits);
  const work: GitWork = {
    cwd,
    commands: lineOf(call.input).commands.map((one) => one.words),
    commandsInside,
    repositories,
    isGranted: (path) => roots.some((root) => isInside(path, root.path)),
  };
  const unreplaced = unreplacedDenials(hits.filter(isLeftByGit), work);
  const blocked = hasFailed ? blockedDenials(said, limits, work) : [];
  const why = (program: string): Unstartable | null => whyUnstartable(program, cwd, side.profile, standing);
  const hooks = hasFailed ? hookDenials(said, { repositories, limits, whyUnstartable: why }) : [];
  const isTold = ({ limit }: LimitHit): boolean => unreplaced.some(({ target }) => target === limit.path);
  const others = hits.filter((hit) => !isTold(hit));
  return { byGit: [...unreplaced, ...blocked, ...hooks], byLimits: maskDenials(others, evidence, limits) };
}

/** Folders that its words go into (`cd sub`, `git -C sub`), where it started, the tops of working trees around that, others. */
function basesOf(
  words: readonly string[],
  cwd: AbsolutePath,
  tops: readonly AbsolutePath[],
  named: readonly NamedPath[],
): readonly AbsolutePath[] {
  const parts = words.flatMap((word) => (/\s/.test(word) ? plainParts(word) : word));
  const entered = new Set(parts.flatMap((word, at) => (ENTERS.has(word) ? (parts[at + 1] ?? []) : [])));
  const folders = named.filter(({ kind }) => kind === "folder");
  const isEntered = ({ written }: NamedPath): boolean => entered.has(written);
  return [
    ...new Set([
      ...folders.filter(isEntered).map(({ judged }) => judged),
      cwd,
      ...tops.filter((top) => isInside(cwd, top)),
      ...folders.map(({ judged }) => judged),
    ]),
  ].slice(0, MAX_BASES);
}

const ENTERS = new Set(["cd", "pushd", "-C", "--prefix", "--cwd", "--dir", "--directory"]);

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** What the egress proxy refused is not told once more as what may be the reason. */
function unique(denials: readonly Denial[]): readonly Denial[] {
  const first = new Map(denials.toReversed().map((one) => [`${one.operation} ${one.target}`, one]));
  return denials.filter((one) => first.get(`${one.operation} ${one.target}`) === one);
}

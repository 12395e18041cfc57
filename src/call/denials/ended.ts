import type { Facts } from "../../backend/facts.ts";
import type { Plan } from "../../backend/plan.ts";
import { askDenial } from "../../decide/ask-denial.ts";
import { type CallPolicy, heldPaths } from "../../decide/call-policy.ts";
import { ceilingUnder } from "../../decide/explain.ts";
import type { NetworkUse } from "../../decide/network-use.ts";
import type { ProgramOutcome, Ran } from "../../decide/outcome.ts";
import type { PreparedRun } from "../../decide/prepare.ts";
import type { Unstartable } from "../../decide/start-fault.ts";
import type { Ended } from "../../host/launch/run-options.ts";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, isInside, parentOf, ROOT } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import { isOpaque } from "../../shell/word.ts";
import { type Call, lineOf, scriptOf, wordsOf } from "../../tool/call.ts";
import { shownLinks } from "../shown-links.ts";
import { whyUnstartable } from "../unstartable.ts";
import { certificateDenials } from "./certificates.ts";
import { commandsIn } from "./commands-in.ts";
import { complainedPaths, isComplaint, withoutDots } from "./complaints.ts";
import { deviceDenials } from "./devices.ts";
import { egressDenials } from "./egress.ts";
import { failedDenials } from "./failed.ts";
import { blockedDenials, type GitWork, isLeftByGit, listedByGit, unreplacedDenials } from "./git-left.ts";
import { hookDenials } from "./hooks.ts";
import { type Evidence, type LimitHit, limitHits, maskDenials } from "./masks.ts";
import { namedPaths, plainParts } from "./named-paths.ts";
import { planLimits } from "./plan-limits.ts";
import { type NamedPath, programDenials } from "./program.ts";

const MAX_DENIALS = 5;
const MAX_BASES = 20;

interface EndedProgram {
  readonly call: Call;
  readonly side: PreparedRun;
  readonly policy: CallPolicy;
  readonly facts: Facts;
}

interface End {
  readonly ended: Ended;
  readonly kind: Extract<ProgramOutcome, Ran>["kind"];
  readonly said: string;
  readonly egress: NetworkUse | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Acts that the sandbox denied a program, as far as known at its end. At most five, certain ones first. */
export function endedDenials(given: EndedProgram, plan: Plan, end: End): readonly Denial[] {
  const { side, policy } = given;
  const call: EndedProgram = { ...given, policy: { ...policy, ceiling: ceilingUnder(policy, side) } };
  const refused = egressDenials(end.egress?.refused ?? [], call.policy, end.env);
  if (end.kind !== "failed" && !isComplaint(end.said)) return refused;
  const words = wordsIn(call);
  const cwd = call.side.launch?.cwd ?? ROOT;
  const programs = programsIn(call, words);
  const named = namedPaths(words, cwd, call.side.profile, shownLinks(call.policy)).filter(
    ({ written }) => !programs.has(written),
  );
  const { byGit, byLimits } = limitDenials(call, plan, end, words, named);
  const byWords =
    end.kind === "failed" ? [...lackDenials(call, end), ...wordDenials(call, end, words, named)] : [];
  const isOneOf = (denials: readonly Denial[], { operation, target }: Denial): boolean =>
    denials.some((one) => one.operation === operation && isBelow(target, one.target));
  const isGuess = ({ operation, certainty }: Denial): boolean =>
    operation === "write" && certainty === "likely" && byGit.length + byLimits.length > 0;
  const others = byWords.filter((one) => !isOneOf(byGit, one) && !isGuess(one));
  // A path named by the call's words is nearer to its act than the limit above that path.
  const isNamed = (limit: Denial): boolean => others.some((one) => isOneOf([limit], one));
  const known = unique([...refused, ...byGit, ...others, ...byLimits.filter((one) => !isNamed(one))]);
  const all = known.length === 0 && end.kind === "failed" ? complainedDenials(call, end) : known;
  return [
    ...all.filter(({ certainty }) => certainty === "certain"),
    ...all.filter(({ certainty }) => certainty === "likely"),
  ].slice(0, Math.max(MAX_DENIALS, refused.length));
}

/**
 * Denials of paths that only the output names: likely at most, and none proposes to grant the path. One that approval
 * lifts proposes to ask a person.
 */
function complainedDenials(call: EndedProgram, end: End): readonly Denial[] {
  const named = namedPaths(complainedPaths(end.said), ROOT, call.side.profile, shownLinks(call.policy));
  return wordDenials(call, end, [], named).map((denial) => ({
    ...denial,
    certainty: "likely",
    remedy:
      denial.askable === true
        ? denial.remedy
        : `run \`cofferdam explain ${denial.operation} ${quote([denial.target])}\` to see why: only the program's output names it`,
  }));
}

function wordsIn({ call }: EndedProgram): readonly string[] {
  const commands = lineOf(call.input).commands.map(({ words }) => words.filter((word) => !isOpaque(word)));
  const script = scriptOf(call.input);
  return [...commands.flatMap((one) => one.slice(1)), ...(script === null ? [] : plainParts(script))];
}

/** The commands of lines for a shell that are searched in PATH: they are no paths, also if a file has such a name. */
function programsIn({ call }: EndedProgram, words: readonly string[]): ReadonlySet<string> {
  const lines = [scriptOf(call.input) ?? "", ...words.filter((word) => /\s/.test(word))];
  const programs = lines.flatMap((script) => lineOf({ script }).commands.map(({ words: [word] }) => word));
  return new Set(programs.filter((word) => !word.includes("/")));
}

function lackDenials({ call, side, policy }: EndedProgram, { ended, said }: End): readonly Denial[] {
  const { code, ...how } = ended;
  const cwd = side.launch?.cwd ?? ROOT;
  return failedDenials({ ...how, input: call.input, cwd, profile: side.profile, code, said }, policy);
}

function wordDenials(
  { call, side, policy, facts }: EndedProgram,
  { ended: { code, refused = [] }, said, egress, env }: End,
  words: readonly string[],
  named: readonly NamedPath[],
): readonly Denial[] {
  const [isApproved, isTool] = [side.digest === policy.withApproval.digest, call.use !== null];
  const { mac, user } = facts;
  const ask = askDenial(policy, { isApproved, isTool });
  const ofDevices = mac === null ? deviceDenials({ said, words, user }, ask) : [];
  const inside = side.launch?.env ?? {};
  const ofCertificates = certificateDenials({ said, profile: side.profile, inside, outside: env });
  const others = programDenials(
    {
      named,
      words,
      code,
      said,
      refused,
      isApproved,
      isTool,
      isProxied: egress !== null,
      isOffline: side.profile.network === "none",
      looksUp: commandsIn(call.input).some(([name, what = ""]) => name === "getent" && /^a?hosts/.test(what)),
    },
    policy,
  );
  return [...ofDevices, ...ofCertificates, ...others];
}

/** Denials by the plan's own limits: from git, from hooks that git started, and from everything else. */
function limitDenials(
  { call, side, policy, facts }: EndedProgram,
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
  const { roots } = policy.settings;
  const isApproved = side.digest === policy.withApproval.digest;
  const ask = askDenial(policy, { isApproved, isTool: call.use !== null });
  const limits = planLimits({ plan, facts, roots, named: heldPaths(policy.ceiling.layers) }, ask);
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
  const why = (program: string): Unstartable | null => whyUnstartable(program, cwd, side.profile, policy);
  const hooks = hasFailed ? hookDenials(said, { repositories, limits, whyUnstartable: why }) : [];
  const isReported = ({ limit }: LimitHit): boolean => unreplaced.some(({ target }) => target === limit.path);
  const others = hits.filter((hit) => !isReported(hit));
  return { byGit: [...unreplaced, ...blocked, ...hooks], byLimits: maskDenials(others, evidence, limits) };
}

/** Folders that its words enter (`cd sub`, `git -C sub`), its start folder, tops of its working trees, others. */
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

/** A refusal of the egress proxy is not reported again as a likely reason. */
function unique(denials: readonly Denial[]): readonly Denial[] {
  const first = new Map(denials.toReversed().map((one) => [`${one.operation} ${one.target}`, one]));
  return denials.filter((one) => first.get(`${one.operation} ${one.target}`) === one);
}

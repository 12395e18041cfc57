import type { BubblewrapApproximationName } from "../backend/bubblewrap/approximations.ts";
import { SOCKETS_IN_ROOTS } from "../backend/bubblewrap/enforcement.ts";
import { limitLayer } from "../backend/limits.ts";
import type { Approximation, PlanClause } from "../backend/plan.ts";
import type { Ceiling } from "../config/config.ts";
import type { Position } from "../errors.ts";
import { accessTo } from "../profile/access-to.ts";
import { type Explanation, entryKey, type Layer, maskKey, type ProfileQuestion } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { indexEntries, nearestEntry, type Profile } from "../profile/profile.ts";
import { listedSockets } from "../profile/sockets.ts";
import type { ToolSettings } from "../tool/derive.ts";
import { mayPass } from "../tool/obeyed-names.ts";
import type { CallPolicy } from "./call-policy.ts";
import { explainLayers } from "./explain-layers.ts";
import type { Prepared, PreparedRun } from "./prepare.ts";
import { printStay, stayAnswer } from "./stays.ts";

/** Explains why something is allowed or not, without and with approval, and names the clause that enforces it. */
export interface CallExplanation {
  readonly unasked: Explanation;
  readonly onYes: Explanation;
  /** The clause of the plan that runs with approval; null if none is about the target. */
  readonly clause: PlanClause | null;
  /** Reasons why that plan is stricter than the answer, in points that no question covers. */
  readonly tighter: readonly string[];
  /** Why a writable path can't be removed or renamed; null if it can, and for other questions. */
  readonly stays: string | null;
  /** Why the sandbox lets it happen although the answer is no; null if it does not. */
  readonly looser: { readonly unasked: string | null; readonly onYes: string | null };
}

/** All layers whose intersection is a call's profile: the needs of the tool, then each operator file. */
export function layersOf(
  settings: ToolSettings,
  ceiling: Ceiling,
  need: Profile,
): readonly [Layer, ...Layer[]] {
  const sources = new Map(
    settings.roots.flatMap((root): [string, Position][] =>
      root.at === null ? [] : [[entryKey(root.path), root.at]],
    ),
  );
  const own = settings.ownFiles.map((path) => maskKey({ pattern: literalPattern(path) }));
  const reasons = new Map(
    own.map((key) => [
      key,
      "it is the config or one of its profiles: no tool can change its own permissions",
    ]),
  );
  const remedies = new Map(own.map((key) => [key, "change it yourself outside the sandbox, if intended"]));
  return [{ name: "config", profile: need, sources, reasons, remedies }, ...ceiling.layers];
}

/** Explains a need before any plan: the answers of its layers, and which listed variables are passed. */
export function explainNeed(
  settings: ToolSettings,
  ceiling: Ceiling,
  need: Profile,
  question: ProfileQuestion,
): Explanation {
  const explanation = explainLayers(layersOf(settings, ceiling, need), question);
  const [own, ...others] = explanation.layers;
  const because = question.ask === "env" ? whyNotPassed(settings.sandbox.env, question.name) : null;
  if (because === null || own?.allowed !== true) return explanation;
  const decidedBy = { ...own, allowed: false, because };
  return { allowed: false, decidedBy, layers: [decidedBy, ...others] };
}

/** Why the caller's value of a listed name is not passed; null if it is, or if the config sets a value. */
function whyNotPassed({ pass, set }: ToolSettings["sandbox"]["env"], name: string): string | null {
  if (mayPass(pass, name) || Object.hasOwn(set, name)) return null;
  return mayPass([...pass, name], name)
    ? "programs obey it: list its full name, without `*`"
    : "bash obeys it before it runs a line, so the caller's value is never passed";
}

/** @internal The ceiling for a call's paths: its layers, and one for the limits of its plan. */
export function ceilingUnder(
  { ceiling }: Pick<CallPolicy, "ceiling">,
  { rendering }: Pick<PreparedRun, "rendering">,
): Ceiling {
  if (rendering.kind !== "plan" || rendering.plan.limits.length === 0) return ceiling;
  return { ...ceiling, layers: [...ceiling.layers, limitLayer(rendering.plan.limits)] };
}

/** Explains one question from the same layers and the same plan that a call would run under. */
export function explainCall(prepared: Prepared, question: ProfileQuestion): CallExplanation {
  const { needs } = prepared.policy;
  const unasked = explainSide(prepared, prepared.withoutApproval, needs.withoutApproval, question);
  const onYes = explainSide(prepared, prepared.withApproval, needs.withApproval, question);
  return {
    unasked,
    onYes,
    clause: clauseFor(prepared.withApproval, question),
    tighter: tighterAt(prepared.withApproval, question),
    stays: onYes.allowed ? staysAt(prepared, question) : null,
    looser: {
      unasked: unasked.allowed ? null : looserAt(prepared.policy, prepared.withoutApproval, question),
      onYes: onYes.allowed ? null : looserAt(prepared.policy, prepared.withApproval, question),
    },
  };
}

function explainSide(
  { policy }: Pick<Prepared, "policy">,
  side: PreparedRun,
  need: Profile,
  question: ProfileQuestion,
): Explanation {
  const { settings } = policy;
  const ceiling = ceilingUnder(policy, side);
  const explanation = withoutWayIn(explainNeed(settings, ceiling, need, question), side.profile, question);
  if (side.rendering.kind !== "plan" || (question.ask !== "remove" && question.ask !== "rename"))
    return explanation;
  const layers = layersOf(settings, ceiling, need);
  const stay = explanation.allowed
    ? stayAnswer(side.rendering.plan, layers, question.path, question.ask)
    : null;
  return stay === null
    ? explanation
    : {
        allowed: false,
        decidedBy: stay,
        layers: [...explanation.layers.filter(({ layer }) => layer !== LIMIT_LAYER), stay],
      };
}

/** A call on the machine's own network opens no port: a call that asks for one is rejected. */
function withoutWayIn(
  explanation: Explanation,
  { network }: Profile,
  question: ProfileQuestion,
): Explanation {
  const [own, ...others] = explanation.layers;
  if (question.ask !== "port" || network !== "host" || !explanation.allowed || own === undefined)
    return explanation;
  const because = "with `network: host`, a call that requests a port is denied";
  const decidedBy = { ...own, allowed: false, because };
  return { allowed: false, decidedBy, layers: [decidedBy, ...others] };
}

function staysAt({ policy, withApproval }: Prepared, question: ProfileQuestion): string | null {
  if (withApproval.rendering.kind !== "plan" || question.ask !== "write") return null;
  const layers = layersOf(policy.settings, ceilingUnder(policy, withApproval), policy.needs.withApproval);
  return printStay(withApproval.rendering.plan, layers, question.path);
}

/**
 * Files below `/tmp` are the call's own unless a root shows those of the machine. A read-only mount does not stop
 * connect(2): the mode of the socket itself decides (unix(7)).
 */
function looserAt(
  { backend }: CallPolicy,
  { rendering, profile }: PreparedRun,
  question: ProfileQuestion,
): string | null {
  if (question.ask === "write" && accessTo(profile, question.path, question.facts) === "none")
    return backend.viewAround(question.path) === "/tmp"
      ? "every call has its own `/tmp`, which is removed after the call"
      : null;
  if (rendering.kind !== "plan" || question.ask !== "socket") return null;
  const { sockets } = rendering.plan.enforcement;
  if (sockets.kind !== "partial" || !sockets.reason.startsWith(SOCKETS_IN_ROOTS)) return null;
  const isShown = accessTo(profile, question.path) !== "none" && !isSnapshot(profile, question.path);
  return isShown
    ? `${SOCKETS_IN_ROOTS}, listed or not: the kernel does not distinguish sockets by path`
    : null;
}

/** A socket is protected only as far as it is hidden: a read-only folder does not protect it. */
function tighterAt({ rendering, profile }: PreparedRun, question: ProfileQuestion): readonly string[] {
  if (rendering.kind !== "plan" || !("path" in question)) return [];
  if (question.ask === "socket" && !isSnapshot(profile, question.path)) return [];
  const { approximations, limits, fixed } = rendering.plan;
  const isReported = ({ name, path }: Approximation): boolean =>
    fixed.includes(path) || limits.some((limit) => limit.name === name && limit.path === path);
  return approximations
    .filter((one) => (question.ask === "socket" ? one.name === SNAPSHOT : !isReported(one)))
    .filter(({ path }) => isInside(question.path, path))
    .map(({ reason }) => reason);
}

const SNAPSHOT = "suffix-snapshot" satisfies BubblewrapApproximationName;

/** True if only matching files, one by one, and listed sockets are shown. */
function isSnapshot({ files, sockets }: Profile, path: AbsolutePath): boolean {
  return nearestEntry(indexEntries(files), path).suffixes !== "any" && !listedSockets(sockets).includes(path);
}

/** The last clause of the plan at or above the path: the mount that a process would find there. */
function clauseFor(side: PreparedRun, question: ProfileQuestion): PlanClause | null {
  if (side.rendering.kind !== "plan" || !("facts" in question)) return null;
  return side.rendering.plan.clauses.findLast((clause) => isInside(question.path, clause.path)) ?? null;
}

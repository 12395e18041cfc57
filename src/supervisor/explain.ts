import type { ApproximationName } from "../backend/bubblewrap/approximations.ts";
import { SOCKETS_IN_ROOTS } from "../backend/bubblewrap/standings.ts";
import { limitLayer } from "../backend/limits.ts";
import type { Approximation, PlanClause } from "../backend/plan.ts";
import type { Ceiling } from "../config/config.ts";
import type { Position } from "../errors.ts";
import { accessTo } from "../profile/access-to.ts";
import {
  type Explanation,
  entryKey,
  explain,
  type Layer,
  maskKey,
  type Question,
} from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { indexEntries, nearestEntry, type Profile } from "../profile/profile.ts";
import { listedSockets } from "../profile/sockets.ts";
import type { ToolSettings } from "../tool/derive.ts";
import { mayPass } from "../tool/obeyed-names.ts";
import type { Prepared, Side } from "./prepare.ts";
import type { Standing } from "./standing.ts";
import { printStay, stayAnswer } from "./stays.ts";

/** Why something is allowed or not, before and after a yes, and the part of the plan that enforces it. */
export interface CallExplanation {
  readonly unasked: Explanation;
  readonly onYes: Explanation;
  /** Of the plan that a yes would run; null when nothing in it speaks of the target. */
  readonly clause: PlanClause | null;
  /** Where that plan is tighter than the answer in what no question is about, and why. */
  readonly tighter: readonly string[];
  /** Of what may be written: why it may not be removed or renamed; null where it may be, and for other questions. */
  readonly stays: string | null;
  /** Why the walls let it happen although the answer is no; null where they do not. */
  readonly looser: { readonly unasked: string | null; readonly onYes: string | null };
}

/** Every layer that a call's profile is the meet of: what the tool needs, then each operator file. */
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
    own.map((key) => [key, "it is the config, or one of its profiles: no tool changes what it may do"]),
  );
  const remedies = new Map(
    own.map((key) => [key, "change it yourself, outside of the sandbox, if it is meant"]),
  );
  return [{ name: "config", profile: need, sources, reasons, remedies }, ...ceiling.layers];
}

/** Why a need is given something or not, before any plan: what its layers say, and which variables come along of those. */
export function explainNeed(
  settings: ToolSettings,
  ceiling: Ceiling,
  need: Profile,
  question: Question,
): Explanation {
  const explanation = explain(layersOf(settings, ceiling, need), question);
  const [own, ...others] = explanation.layers;
  const because = question.ask === "env" ? whyNotPassed(settings.sandbox.env, question.name) : null;
  if (because === null || own?.allowed !== true) return explanation;
  const decidedBy = { ...own, allowed: false, because };
  return { allowed: false, decidedBy, layers: [decidedBy, ...others] };
}

/** Why the caller's value of a listed name does not come along; null where it does, or the config sets one. */
function whyNotPassed({ pass, set }: ToolSettings["sandbox"]["env"], name: string): string | null {
  if (mayPass(pass, name) || Object.hasOwn(set, name)) return null;
  return mayPass([...pass, name], name)
    ? "programs obey it: only its own name lists it, no `*`"
    : "bash obeys it before it reads a line, so the caller's never comes along";
}

/** What decides about a call's paths: its layers, and under its plan what this adds. */
export function ceilingUnder(
  { ceiling }: Pick<Standing, "ceiling">,
  { rendering }: Pick<Side, "rendering">,
): Ceiling {
  if (rendering.kind !== "plan" || rendering.plan.limits.length === 0) return ceiling;
  return { ...ceiling, layers: [...ceiling.layers, limitLayer(rendering.plan.limits)] };
}

/** Explains one question from the same layers and the same plan that a call would run under. */
export function explainCall(prepared: Prepared, question: Question): CallExplanation {
  const { needs } = prepared.standing;
  const unasked = explainSide(prepared, prepared.unasked, needs.unasked, question);
  const onYes = explainSide(prepared, prepared.onYes, needs.onYes, question);
  return {
    unasked,
    onYes,
    clause: clauseFor(prepared.onYes, question),
    tighter: tighterAt(prepared.onYes, question),
    stays: onYes.allowed ? staysAt(prepared, question) : null,
    looser: {
      unasked: unasked.allowed ? null : looserAt(prepared.unasked, question),
      onYes: onYes.allowed ? null : looserAt(prepared.onYes, question),
    },
  };
}

function explainSide(
  { standing }: Pick<Prepared, "standing">,
  side: Side,
  need: Profile,
  question: Question,
): Explanation {
  const { settings } = standing;
  const ceiling = ceilingUnder(standing, side);
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

/** A call on the machine's own network opens no port: one that asks for it is refused. */
function withoutWayIn(explanation: Explanation, { network }: Profile, question: Question): Explanation {
  const [own, ...others] = explanation.layers;
  if (question.ask !== "port" || network !== "host" || !explanation.allowed || own === undefined)
    return explanation;
  const because = "with `network: host` a call is refused its ports: they are the machine's own";
  const decidedBy = { ...own, allowed: false, because };
  return { allowed: false, decidedBy, layers: [decidedBy, ...others] };
}

function staysAt({ standing, onYes }: Prepared, question: Question): string | null {
  if (onYes.rendering.kind !== "plan" || question.ask !== "write") return null;
  const layers = layersOf(standing.settings, ceilingUnder(standing, onYes), standing.needs.onYes);
  return printStay(onYes.rendering.plan, layers, question.path);
}

/** A mount that is read-only lets connect(2) pass: the socket's own mode decides (unix(7)). */
function looserAt({ rendering, profile }: Side, question: Question): string | null {
  if (rendering.kind !== "plan" || question.ask !== "socket") return null;
  const { sockets } = rendering.plan.standings;
  if (sockets.kind !== "partial" || !sockets.reason.startsWith(SOCKETS_IN_ROOTS)) return null;
  const isShown = accessTo(profile, question.path) !== "none" && !isSnapshot(profile, question.path);
  return isShown
    ? `${SOCKETS_IN_ROOTS}, listed or not: the kernel does not keep sockets apart by path`
    : null;
}

/** A socket is only as far from being reached as it is from being shown: that a folder can't be changed is nothing to it. */
function tighterAt({ rendering, profile }: Side, question: Question): readonly string[] {
  if (rendering.kind !== "plan" || !("path" in question)) return [];
  if (question.ask === "socket" && !isSnapshot(profile, question.path)) return [];
  const { approximations, limits, fixed } = rendering.plan;
  const isTold = ({ name, path }: Approximation): boolean =>
    fixed.includes(path) || limits.some((limit) => limit.name === name && limit.path === path);
  return approximations
    .filter((one) => (question.ask === "socket" ? one.name === SNAPSHOT : !isTold(one)))
    .filter(({ path }) => isInside(question.path, path))
    .map(({ reason }) => reason);
}

const SNAPSHOT = "suffix-snapshot" satisfies ApproximationName;

/** True where nothing is shown but files that match, one by one, and sockets that are listed. */
function isSnapshot({ files, sockets }: Profile, path: AbsolutePath): boolean {
  return nearestEntry(indexEntries(files), path).suffixes !== "any" && !listedSockets(sockets).includes(path);
}

/** The last clause of the plan at or above the path: the mount that a process would meet there. */
function clauseFor(side: Side, question: Question): PlanClause | null {
  if (side.rendering.kind !== "plan" || !("facts" in question)) return null;
  return side.rendering.plan.clauses.findLast((clause) => isInside(question.path, clause.path)) ?? null;
}

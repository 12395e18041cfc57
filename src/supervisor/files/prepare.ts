import { visible } from "../../errors.ts";
import { strictest } from "../../policy/action.ts";
import type { Json } from "../../policy/canonical-json.ts";
import { findGrant, type Grant, type GrantKey } from "../../policy/grant.ts";
import { argsHashOf, cacheKeyOf } from "../../policy/hashes.ts";
import type { RuleHit, ToolSaid } from "../../policy/rule-hit.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import { invocationOf } from "../../policy/tool-rule.ts";
import { answerByGrant, answerByMode, judge, type Verdict } from "../../policy/verdict.ts";
import { isAtMost } from "../../profile/access.ts";
import { accessTo } from "../../profile/access-to.ts";
import type { ExecutedNames } from "../../profile/executed.ts";
import { type AbsolutePath, isInside } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Root } from "../../tool/facts.ts";
import { type AnyFileTool, type ReadUse, workOf } from "../../tool/files/all.ts";
import type { Target } from "../../tool/files/file-tool.ts";
import { type Denial, denialFor } from "../denial.ts";
import { layersOf } from "../explain.ts";
import type { FileStanding, Granted, Standing } from "../standing.ts";
import { stayAnswer } from "../stays.ts";

/** One use of a file tool, as far as it is decided. */
export interface FileCall {
  readonly tool: AnyFileTool;
  readonly use: ReadUse;
  readonly targets: readonly Target[];
  readonly agent: string | null;
  readonly caller: "agent" | "person";
  /** What it would make that hosts execute. */
  readonly executed: readonly Executed[];
}

/** A file that a program of the host executes or obeys. */
export interface Executed extends Pick<ExecutedNames, "by" | "when"> {
  readonly path: AbsolutePath;
  /** What it will hold; null where that is not known before. */
  readonly content: Uint8Array | null;
}

/** A use of a file tool, decided: what approval shows and what the program inside is asked to do. */
export interface PreparedFile {
  readonly verdict: Verdict;
  readonly unasked: Granted;
  readonly onYes: Granted;
  readonly argsHash: string;
  /** What a yes for the session would be bound to; made when somebody wants to know. */
  readonly grantKey: () => GrantKey;
  /** The arguments with every path as it leads: what rules and people see. */
  readonly args: Json;
  /** What a yes for the session covers. */
  readonly payload: Json;
  /** What not even a yes gives; nobody is asked about such a use. */
  readonly denials: readonly Denial[];
  /** What it would make that hosts execute. */
  readonly executed: readonly Executed[];
  /** Whether what it is about may be told before anybody said yes: all of it can be read unasked. */
  readonly mayBeTold: boolean;
}

/**
 * Decides one use of a file tool. Pure, like `prepare`. An approval binds the tool, its input, where each path leads, and,
 * where it is to be changed, the state in which it was found.
 */
export function prepareFile(call: FileCall, standing: Standing, grants: readonly Grant[]): PreparedFile {
  const { tool, use, targets, agent, executed } = call;
  const { unasked, onYes } = standingOf(tool, standing);
  const args = argsAsLed(use.args, targets);
  const judged = judge(
    {
      ...invocationOf(tool.name, args, agent),
      risk: tool.risk,
      said: saidBy(call, standing.settings.roots),
      line: null,
      needsMore: needsMore(targets, unasked.profile, onYes.profile),
    },
    { operator: standing.ceiling.approval, approval: standing.config.approval },
  );
  const payload = payloadOf(targets);
  const key = once(
    (): GrantKey => ({
      cacheKey: cacheKeyOf(tool.name, payload),
      toolVersion: "",
      program: null,
      granted: onYes.digest,
    }),
  );
  const mayRemember = standing.ceiling.approval.sessionGrants && standing.mode === "interactive";
  const grant = mayRemember && grants.length > 0 ? findGrant(grants, key()) : null;
  const remembered = answerByGrant(judged, grant);
  const isCallersOwn = call.caller === "person" && !standing.asksCaller;
  const verdict = answerByMode(remembered, standing.mode, isCallersOwn);
  return {
    // Only somebody who sees what is executed can agree to it: neither a handler that says yes to all nor an earlier yes.
    verdict: verdict.action === "ask" && executed.length > 0 ? { ...verdict, demandsPerson: true } : verdict,
    executed,
    unasked,
    onYes,
    argsHash: argsHashOf({
      tool: tool.name,
      agent,
      input: use.args,
      targets: targets.map(bindingOf),
      granted: onYes.digest,
    }),
    grantKey: key,
    args,
    payload,
    denials: targets.flatMap((target) =>
      has(target, onYes.profile)
        ? (stayDenialOf(target, tool, standing) ?? [])
        : (denialOf(target, tool, standing) ?? []),
    ),
    mayBeTold: targets.every((target) => has({ ...target, need: "read" }, unasked.profile)),
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** What tools of this kind get. */
export function standingOf(tool: Pick<AnyFileTool, "risk">, { files }: Standing): FileStanding {
  return files[workOf(tool)];
}

/** Why not even a yes gives what a target needs; null where it does. */
export function denialOf(
  target: Pick<Target, "path" | "need"> & { readonly looked: Pick<Target["looked"], "kind"> },
  tool: Pick<AnyFileTool, "risk">,
  standing: Standing,
): Denial | null {
  const { needs } = standingOf(tool, standing);
  const layers = layersOf(standing.settings, standing.ceiling, needs.onYes);
  return denialFor(layers, { ask: target.need, path: target.path, facts: factsOf(target) }, "certain");
}

/** Why a name that may be written can't be moved or deleted: the sandbox keeps it where it is. */
function stayDenialOf(
  { path, need, end, looked }: Target,
  tool: Pick<AnyFileTool, "risk">,
  standing: Standing,
): Denial | null {
  const { needs, fixed = [] } = standingOf(tool, standing);
  if (need !== "write" || end !== "itself" || looked.kind === "missing") return null;
  const layers = layersOf(standing.settings, standing.ceiling, needs.onYes);
  const stay = stayAnswer({ fixed }, layers, path, "rename");
  if (stay === null) return null;
  const { because, remedy = "" } = stay;
  return {
    operation: "write",
    target: path,
    certainty: "certain",
    because: `it stays where it is: ${because}`,
    remedy,
  };
}

/** Where every path leads, in place of how it was written: a rule on `notes:drafts/*` is not for `notes:drafts/../x`. */
function argsAsLed(args: Json, targets: readonly Target[]): Json {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  const led = targets.flatMap(({ argument, shown }): [string, Json][] =>
    argument === null ? [] : [[argument, spelledOut(shown)]],
  );
  return { ...args, ...Object.fromEntries(led) };
}

/** What a yes for the session is for: these places, whatever else is said (S1-17). */
function payloadOf(targets: readonly Target[]): Json {
  return targets.map(({ root, shown }) => ({ sandbox: root?.name ?? null, path: spelledOut(shown) }));
}

function bindingOf({ path, need, looked }: Target): Json {
  const { kind, version, folder } = looked;
  return {
    path: spelledOut(path),
    kind,
    folder: spelledOut(folder),
    version: need === "write" ? version : null,
  };
}

/** What the roots say: outside of them is blocked, and each says for itself what is asked about. */
function saidBy({ targets }: FileCall, roots: readonly Root[]): ToolSaid {
  const hits = targets.map((target) => hitFor(target, roots));
  const nothing: RuleHit = { layer: "tool", rule: "roots", action: "allow", reason: "it is about no path" };
  return { hit: strictest(hits) ?? nothing, doubt: null };
}

function hitFor({ root, need, end, path, written, shown }: Target, roots: readonly Root[]): RuleHit {
  const hit = (action: RuleHit["action"], reason: string): RuleHit => ({
    layer: "tool",
    rule: root?.name ?? "roots",
    action,
    reason,
  });
  if (root === null)
    return hit("deny", `${visible(written)} leads to ${visible(shown)}, which lies in no root`);
  if (need === "write" && root.mode === "ro") return hit("deny", `${visible(root.name)} can only be read`);
  // What a root says of its files would else hold for them no more.
  const held =
    need === "write" && end === "itself" ? roots.find((one) => isInside(one.path, path)) : undefined;
  if (held !== undefined)
    return hit(
      "deny",
      `${visible(shown)} is, or holds, the root ${visible(held.name)}, which stays where it is`,
    );
  if (need === "write" && root.writeApproval)
    return hit("ask", `${visible(root.name)} asks before anything in it is written`);
  if (root.readApproval) return hit("ask", `${visible(root.name)} asks before anything in it is read`);
  return hit("allow", `${visible(root.name)} asks nobody`);
}

/** What a use is about may be given only after a yes. */
function needsMore(targets: readonly Target[], unasked: Profile, onYes: Profile): string | null {
  const wanting = targets.find((target) => !has(target, unasked) && has(target, onYes));
  return wanting === undefined ? null : `to ${wanting.need} ${visible(wanting.shown)} needs approval`;
}

function has(target: Target, profile: Profile): boolean {
  return isAtMost(target.need, accessTo(profile, target.path, factsOf(target)));
}

function factsOf({ looked }: { readonly looked: Pick<Target["looked"], "kind"> }) {
  return { kind: looked.kind === "folder" ? "folder" : "file", bornInside: false } as const;
}

/** True where a rule denies it, which no change of the config's roots would lift. */
export function isRuledOut({ verdict }: Pick<PreparedFile, "verdict">): boolean {
  return verdict.hits.some(({ layer, action }) => action === "deny" && layer !== "tool");
}

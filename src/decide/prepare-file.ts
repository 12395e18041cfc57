import { visible } from "../errors.ts";
import { strictest } from "../policy/action.ts";
import { type BoundCall, boundPart } from "../policy/bound-call.ts";
import { type GeneralisedCall, generalisedPaths } from "../policy/candidate.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Denial } from "../policy/denial.ts";
import type { GrantKey } from "../policy/grant.ts";
import { cacheKeyOf, partsHash } from "../policy/hashes.ts";
import { jsonDigest, type TextDigests } from "../policy/json-digest.ts";
import type { RememberedAnswers } from "../policy/remembered.ts";
import type { RuleHit, ToolSaid } from "../policy/rule-hit.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import { strictestAnswer } from "../policy/strictest-verdict.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import { judge, type Verdict } from "../policy/verdict.ts";
import { isAtMost } from "../profile/access.ts";
import { accessTo } from "../profile/access-to.ts";
import type { ExecutedNames } from "../profile/executed.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Root } from "../tool/facts.ts";
import { type AnyFileTool, type ReadUse, workOf } from "../tool/files/all.ts";
import type { TouchedPath } from "../tool/files/file-tool.ts";
import { rootOf, shownPath } from "../tool/files/written-path.ts";
import type { CallPolicy, EffectiveProfile, ToolAccess } from "./call-policy.ts";
import { denialFor } from "./denial.ts";
import { type FileQuestion, fileLayers, fileQuestion } from "./explain-file-tools.ts";
import { rulesIn } from "./meet-policies.ts";
import { stayAnswer } from "./stays.ts";

/** One use of a file tool, before the decision. */
export interface FileCall {
  readonly tool: AnyFileTool;
  readonly use: ReadUse;
  readonly targets: readonly TouchedPath[];
  readonly agent: string | null;
  readonly caller: "agent" | "person";
  readonly executed: readonly Executed[];
}

/** A file that a program of the host executes or obeys. */
export interface Executed extends Pick<ExecutedNames, "by" | "when"> {
  readonly path: AbsolutePath;
  /** The future content; null if it is not known in advance. */
  readonly content: Uint8Array | null;
}

/** A decided use of a file tool: the content of the request, and the task of the worker. */
export interface PreparedFile {
  readonly verdict: Verdict;
  readonly withoutApproval: EffectiveProfile;
  readonly withApproval: EffectiveProfile;
  readonly argsHash: string;
  /** The parts of `argsHash`. */
  readonly bound: Omit<BoundCall, "origin">;
  /** The key of an approval for the session; computed on first use. */
  readonly grantKey: () => GrantKey;
  readonly generalised: GeneralisedCall;
  /** The arguments with every path resolved: rules and people see these. */
  readonly args: Json;
  /** The scope of an approval for the session. */
  readonly payload: Json;
  /** Denials that no approval lifts; no request is made for such a use. */
  readonly denials: readonly Denial[];
  readonly executed: readonly Executed[];
  /** True if its content may be shown before approval: all of it can be read without approval. */
  readonly mayBeTold: boolean;
}

/**
 * Decides one use of a file tool. Pure, like `prepare`. An approval binds the tool, its input, the target of each path,
 * and the found state of each target that is to be changed.
 */
export function prepareFile(call: FileCall, policy: CallPolicy, memory: RememberedAnswers): PreparedFile {
  const { tool, use, targets, agent, executed } = call;
  const { withoutApproval, withApproval } = accessOf(tool, policy);
  const args = argsAsLed(use.args, targets);
  const payload = payloadOf(targets);
  const key = once(
    (): GrantKey => ({
      cacheKey: cacheKeyOf(tool.name, payload),
      toolVersion: "",
      program: null,
      granted: withApproval.digest,
    }),
  );
  const more = needsMore(targets, withoutApproval.profile, withApproval.profile);
  const sets = rulesIn(policy).map(({ settings: { roots }, config, mode }, index) => {
    // A changed config may have other names for its roots.
    const seen = index === 0 ? targets : targets.map((target) => targetIn(target, roots));
    const judged = judge(
      {
        ...invocationOf(tool.name, index === 0 ? args : argsAsLed(use.args, seen), agent),
        risk: tool.risk,
        said: saidBy(seen, roots),
        line: null,
        needsMore: more,
      },
      { operator: policy.ceiling.approval, approval: config.approval },
    );
    return { judged, operator: policy.ceiling.approval, mode };
  });
  const coverable = { ...invocationOf(tool.name, args, agent), version: "", line: null };
  const { verdict, obstacle } = strictestAnswer(
    sets,
    {
      key,
      coverable,
      // Only a person who sees the executed files can approve.
      mayRemember: executed.length === 0,
      isSameAccess: withoutApproval.digest === withApproval.digest,
      isCallersOwn: call.caller === "person" && !policy.asksCaller,
    },
    memory,
  );
  const bound = boundUse(call, withApproval, policy.config.workspace);
  return {
    // Only a person who sees the executed files can approve: neither a handler that approves everything nor a grant.
    verdict: verdict.action === "ask" && executed.length > 0 ? { ...verdict, demandsPerson: true } : verdict,
    executed,
    withoutApproval,
    withApproval,
    argsHash: partsHash({ tool: tool.name, agent }, bound.parts),
    bound,
    grantKey: key,
    generalised: generalisedPaths(coverable, pathsOf(targets), obstacle),
    args,
    payload,
    denials: targets.flatMap((target) =>
      has(target, withApproval.profile)
        ? (stayDenialOf(target, tool, policy) ?? [])
        : (denialOf(target, tool, policy) ?? []),
    ),
    mayBeTold: targets.every((target) => has({ ...target, need: "read" }, withoutApproval.profile)),
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The access of tools of this kind. */
export function accessOf(tool: Pick<AnyFileTool, "risk">, { files }: CallPolicy): ToolAccess {
  return files[workOf(tool)];
}

/** A path, and the access to it that a use needs. */
type Sought = Pick<TouchedPath, "path" | "need"> & { readonly looked: Pick<TouchedPath["looked"], "kind"> };

/** Why no approval grants the access a target needs; null if one does. */
export function denialOf(target: Sought, tool: Pick<AnyFileTool, "risk">, policy: CallPolicy): Denial | null {
  const layers = fileLayers(policy, workOf(tool), "withApproval");
  return denialFor(layers, questionOf(target), "certain", policy.settings.whyNoRoot);
}

/** Why a writable name can't be moved or deleted: the sandbox keeps it in place. */
function stayDenialOf(
  { path, need, end, looked }: TouchedPath,
  tool: Pick<AnyFileTool, "risk">,
  policy: CallPolicy,
): Denial | null {
  const { fixed = [] } = accessOf(tool, policy);
  if (need !== "write" || end !== "itself" || looked.kind === "missing") return null;
  const layers = fileLayers(policy, workOf(tool), "withApproval");
  const stay = stayAnswer({ fixed }, layers, path, "rename");
  if (stay === null) return null;
  const { because, remedy = "" } = stay;
  return {
    operation: "write",
    target: path,
    certainty: "certain",
    because: `it can't be moved or deleted: ${because}`,
    remedy,
  };
}

/** Replaces every path by its target: a rule on `notes:drafts/*` does not match `notes:drafts/../x`. */
function argsAsLed(args: Json, targets: readonly TouchedPath[]): Json {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  const led = targets.flatMap(({ argument, shown }): [string, Json][] =>
    argument === null ? [] : [[argument, spelledOut(shown)]],
  );
  return { ...args, ...Object.fromEntries(led) };
}

/** The arguments that hold paths, resolved; none if a path has no argument, as then none limits it. */
function pathsOf(targets: readonly TouchedPath[]): Readonly<Record<string, string>> {
  const named = targets.flatMap(({ argument, shown }) =>
    argument === null ? [] : [[argument, spelledOut(shown)] as const],
  );
  return named.length === targets.length ? Object.fromEntries(named) : {};
}

/** The scope of an approval for the session: these places, whatever the other arguments are (S1-17). */
function payloadOf(targets: readonly TouchedPath[]): Json {
  return targets.map(({ root, shown }) => ({ sandbox: root?.name ?? null, path: spelledOut(shown) }));
}

function boundUse(
  { tool, use, targets, agent }: FileCall,
  { digest }: EffectiveProfile,
  project: string,
): Omit<BoundCall, "origin"> {
  const digests: TextDigests = new Map();
  const input = boundPart("input", null, use.args, digests);
  const parts = [
    input,
    ...targets.map((target) => boundPart("file", target.shown, stateOf(target))),
    boundPart("access", null, digest),
  ];
  return { key: jsonDigest([project, tool.name, agent, input.digest]), parts };
}

function stateOf({ path, need, looked }: TouchedPath): Json {
  const { kind, version, folder } = looked;
  return {
    path: spelledOut(path),
    kind,
    folder: spelledOut(folder),
    version: need === "write" ? version : null,
  };
}

/** The verdict of the roots: paths outside are denied, and each root sets when to ask. */
function saidBy(targets: readonly TouchedPath[], roots: readonly Root[]): ToolSaid {
  const hits = targets.map((target) => hitFor(target, roots));
  const nothing: RuleHit = { layer: "tool", rule: "roots", action: "allow", reason: "it names no path" };
  return { hit: strictest(hits) ?? nothing, doubt: null };
}

function targetIn(target: TouchedPath, roots: readonly Root[]): TouchedPath {
  return { ...target, root: rootOf(target.path, roots), shown: shownPath(target.path, roots) };
}

function hitFor({ root, need, end, path, written, shown }: TouchedPath, roots: readonly Root[]): RuleHit {
  const hit = (action: RuleHit["action"], reason: string): RuleHit => ({
    layer: "tool",
    rule: root?.name ?? "roots",
    action,
    reason,
  });
  if (root === null)
    return hit("deny", `${visible(written)} leads to ${visible(shown)}, which is in no root`);
  if (need === "write" && root.mode === "ro") return hit("deny", `${visible(root.name)} is read-only`);
  // Otherwise the root's settings would no longer apply to its files.
  const held =
    need === "write" && end === "itself" ? roots.find((one) => isInside(one.path, path)) : undefined;
  if (held !== undefined)
    return hit(
      "deny",
      `${visible(shown)} is or contains the root ${visible(held.name)}, which can't be moved or deleted`,
    );
  if (need === "write" && root.writeApproval)
    return hit("ask", `writing in ${visible(root.name)} needs approval`);
  if (root.readApproval) return hit("ask", `reading in ${visible(root.name)} needs approval`);
  return hit("allow", `${visible(root.name)} needs no approval`);
}

/** The reason why a target needs approval; null if none does. */
function needsMore(targets: readonly TouchedPath[], unapproved: Profile, approved: Profile): string | null {
  const wanting = targets.find((target) => !has(target, unapproved) && has(target, approved));
  return wanting === undefined
    ? null
    : `${wanting.need === "read" ? "reading" : "writing"} ${visible(wanting.shown)} needs approval`;
}

function has(target: TouchedPath, profile: Profile): boolean {
  const { path, facts } = questionOf(target);
  return isAtMost(target.need, accessTo(profile, path, facts));
}

function questionOf({ need, path, looked }: Sought): FileQuestion {
  return fileQuestion(need, path, looked.kind === "folder" ? "folder" : "file");
}

/** True if a rule denies it: no change of the config's roots would lift that. */
export function isRuledOut({ verdict }: Pick<PreparedFile, "verdict">): boolean {
  return verdict.hits.some(({ layer, action }) => action === "deny" && layer !== "tool");
}

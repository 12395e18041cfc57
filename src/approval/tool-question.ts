import { isDeepStrictEqual } from "node:util";
import { thrownText } from "../errors.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import { type Mode, strictest } from "../policy/action.ts";
import { ApprovalBlockedError } from "../policy/approval-error.ts";
import type { ApprovalSection, OperatorApproval } from "../policy/approval-section.ts";
import { boundPart } from "../policy/bound-call.ts";
import { generalisedTool } from "../policy/candidate.ts";
import { canonicalJson, type Json } from "../policy/canonical-json.ts";
import { cacheKeyOf, partsHash } from "../policy/hashes.ts";
import { jsonDigest, type TextDigests } from "../policy/json-digest.ts";
import { jsonSize } from "../policy/json-size.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import type { RememberedAnswers } from "../policy/remembered.ts";
import type { GrantedView } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { strictestAnswer } from "../policy/strictest-verdict.ts";
import { invocationOf, type RuleLayer } from "../policy/tool-rule.ts";
import { judge } from "../policy/verdict.ts";
import type { DefinedTool, ToolUse } from "../tool/define-tool.ts";
import { Ask, Requirement } from "../tool/function-tool.ts";
import type { DecidedCall } from "./gate-result.ts";

/** The policy for function tools. */
export interface ToolPolicy {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  readonly mode: Mode;
  /** `run`: a tool without an approval setting that no rule covers runs without approval. */
  readonly legacyBareTools: "ask" | "run";
  /** Further rules of the project on these tools. */
  readonly further?: readonly RuleLayer[];
  /** The profile of the sandbox that runs them; absent if they run without a sandbox. */
  readonly granted?: GrantedView;
  /** The rules of a changed config that is not trusted: they apply as well. */
  readonly changed?: Pick<ToolPolicy, "operator" | "approval" | "mode" | "further">;
}

/** One use of a tool, its arguments frozen. */
export interface ToolInvocation {
  readonly tool: DefinedTool;
  readonly args: Json;
  readonly use: ToolUse;
  readonly agent: string | null;
  readonly cwd: string;
  readonly project: string;
}

/** The result of the tool's own checks: a hit, and the terms of its question. */
export interface ToolCheck {
  readonly hit: RuleHit;
  readonly ask: Ask | null;
  readonly description: string | null;
  /** False: an approval given now holds once. */
  readonly remember: boolean;
}

/** Decides one use of a tool. A check that fails, or returns an invalid answer, denies. */
export async function decideTool(
  use: ToolInvocation,
  policy: ToolPolicy,
  memory: RememberedAnswers,
): Promise<DecidedCall> {
  const { tool, args, agent, cwd, project } = use;
  const check = await checkOf(use, policy);
  const ask = check?.ask ?? null;
  const payload = ask?.payload ?? args;
  const digests: TextDigests = new Map();
  const key = {
    cacheKey: cacheKeyOf(tool.name, payload, digests),
    toolVersion: tool.version,
    program: null,
    granted: null,
  };
  await otherTurns(jsonSize(args, MAX_AT_ONCE));
  const coverable = { ...invocationOf(tool.name, args, agent), version: tool.version, line: null };
  const subject = {
    ...coverable,
    risk: tool.risk,
    said: check === null ? null : { hit: check.hit, doubt: null },
    line: null,
    needsMore: null,
  };
  const mayRemember = check?.remember ?? true;
  const sets = [policy, ...(policy.changed === undefined ? [] : [policy.changed])];
  const { verdict, obstacle } = strictestAnswer(
    sets.map((rules) => ({ judged: judge(subject, rules), operator: rules.operator, mode: rules.mode })),
    { key: () => key, coverable, mayRemember, isSameAccess: true, isCallersOwn: false },
    memory,
  );
  const input = boundPart("input", null, args, digests);
  // The same tool name and version may do something else in another folder: the function runs in this process.
  const parts = [input, boundPart("tool", null, tool.version), boundPart("folder", null, cwd)];
  return {
    verdict,
    argsHash: partsHash({ tool: tool.name, agent }, parts),
    bound: { key: jsonDigest([project, tool.name, agent, input.digest]), parts, origin: null },
    grantKey: key,
    generalised: generalisedTool(coverable, tool.risk, obstacle),
    groupId: ask?.groupId ?? null,
    summarize: () => {
      const description = check?.description ?? `use ${tool.name}`;
      return {
        risk: tool.risk,
        description: redactText(description).text,
        ...redact(ask?.displayArgs ?? args),
        covers: mayRemember ? coversOf(tool.name, payload, args) : null,
        granted: policy.granted ?? null,
      };
    },
    preview: async () => {
      if (ask?.presentation !== undefined) return ask.presentation;
      const { presentStructured } = await import("./present.ts");
      return presentStructured(redact(ask?.displayArgs ?? args).safeArgs);
    },
    reviewSubject: () => ({
      input: args,
      cwd,
      commands: [],
      risk: tool.risk,
      granted: policy.granted ?? null,
      // A function runs without a sandbox, or in that of a server, which no approval changes.
      grantsMore: false,
      isWhole: isShownWhole(redact(args).redactions),
      mayRemember,
    }),
  };
}

/** The coverage of a session approval, in words; null if it can't be shown whole. */
export function coversOf(tool: string, payload: Json, args: Json): string | null {
  // A payload that is not shown whole may be megabytes.
  if (!isShownWhole(redact(payload).redactions)) return null;
  const text = canonicalJson(payload);
  if (text === "{}") return `every use of ${tool}`;
  if (!redactText(text).isWhole) return null;
  return `${tool} with ${text}${isDeepStrictEqual(payload, args) ? "" : ", with any other arguments"}`;
}

/** The result of the tool's own checks; null if it has none. A check that fails denies. */
export async function checkOf(
  { use, tool }: Pick<ToolInvocation, "use" | "tool">,
  { legacyBareTools }: Pick<ToolPolicy, "legacyBareTools">,
): Promise<ToolCheck | null> {
  const checks = [...checked(use), ...(await required(use))];
  const decisive = strictest(checks.map(({ hit, ask }) => ({ hit, ask, action: hit.action })));
  if (decisive !== undefined)
    return {
      hit: decisive.hit,
      ask: checks.find(({ ask }) => ask !== null)?.ask ?? null,
      description: checks.find(({ description }) => description !== null)?.description ?? null,
      remember: checks.every(({ remember }) => remember),
    };
  if (legacyBareTools === "ask" || tool.risk === "destructive") return null;
  return {
    hit: hitOf("bare", "allow", "the tool has no approval setting"),
    ask: null,
    description: null,
    remember: true,
  };
}

function checked({ check }: ToolUse): readonly ToolCheck[] {
  if (check === null) return [];
  try {
    const answer: unknown = check();
    // An async check is invalid here: its failure must not end the process.
    if (answer instanceof Promise) answer.catch(() => undefined);
    if (answer === null)
      return [
        {
          hit: hitOf("check", "allow", "the tool needs no approval"),
          ask: null,
          description: null,
          remember: true,
        },
      ];
    const ask = Ask.safeParse(answer);
    if (!ask.success) return [failed("check", "it did not return a valid request")];
    const { reason, description, remember = true } = ask.data;
    return [{ hit: hitOf("check", "ask", reason ?? description), ask: ask.data, description, remember }];
  } catch (cause) {
    return [failed("check", cause)];
  }
}

async function required({ requirement: require }: ToolUse): Promise<readonly ToolCheck[]> {
  if (require === null) return [];
  try {
    const requirement = Requirement.safeParse(await require());
    if (!requirement.success) return [failed("requirement", "it did not return a valid requirement")];
    const { required: isRequired, reason, description = null, remember = true } = requirement.data;
    return [
      { hit: hitOf("requirement", isRequired ? "ask" : "allow", reason), ask: null, description, remember },
    ];
  } catch (cause) {
    return [failed("requirement", cause)];
  }
}

/** The result of a check that blocks the call, or fails otherwise: both deny. */
function failed(rule: string, cause: unknown): ToolCheck {
  if (cause instanceof ApprovalBlockedError)
    return { hit: hitOf(rule, "deny", cause.reason), ask: null, description: null, remember: true };
  const why = typeof cause === "string" ? cause : thrownText(cause);
  return {
    hit: hitOf(rule, "deny", `the tool's own ${rule} failed: ${why}`),
    ask: null,
    description: null,
    remember: true,
  };
}

/** A tool may put its arguments in its words: apparent secrets are hidden before a person reads them. */
function hitOf(rule: string, action: RuleHit["action"], reason: string): RuleHit {
  return { layer: "tool", rule, action, reason: redactText(reason).text };
}

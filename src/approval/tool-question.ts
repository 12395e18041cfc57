import { isDeepStrictEqual } from "node:util";
import { thrownText } from "../errors.ts";
import { MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import { type Mode, strictest } from "../policy/action.ts";
import { ApprovalBlockedError } from "../policy/approval-error.ts";
import type { ApprovalSection, OperatorApproval } from "../policy/approval-section.ts";
import { canonicalJson, type Json } from "../policy/canonical-json.ts";
import { findGrant, type Grant } from "../policy/grant.ts";
import { argsHashOf, cacheKeyOf } from "../policy/hashes.ts";
import type { TextDigests } from "../policy/json-digest.ts";
import { jsonSize } from "../policy/json-size.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import type { GrantedView } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { invocationOf, type RuleLayer } from "../policy/tool-rule.ts";
import { answerByGrant, answerByMode, judge } from "../policy/verdict.ts";
import type { DefinedTool, ToolUse } from "../tool/define-tool.ts";
import { Ask, Requirement } from "../tool/function-tool.ts";
import type { Question } from "./question.ts";

/** What decides about function tools. */
export interface ToolPolicy {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  readonly mode: Mode;
  /** `run`: a tool that says nothing of approval, and that no rule covers, runs without asking. */
  readonly legacyBareTools: "ask" | "run";
  /** Further rules of the project's on these tools. */
  readonly further?: readonly RuleLayer[];
  /** What runs them inside walls gets, where something does; without it none stand around them. */
  readonly granted?: GrantedView;
}

/** One use of a tool, its arguments frozen. */
export interface Use {
  readonly tool: DefinedTool;
  readonly args: Json;
  readonly use: ToolUse;
  readonly agent: string | null;
  /** The folder that the host stands in. */
  readonly cwd: string;
}

/** What the tool's own checks came to: a hit, and the wish that it came with. */
export interface Said {
  readonly hit: RuleHit;
  readonly ask: Ask | null;
  /** What would be done, in the tool's own words; null where it has none. */
  readonly description: string | null;
  /** False: what is answered now holds once. */
  readonly remember: boolean;
}

/** Decides one use of a tool. A check that fails, or answers what is not understood, denies. */
export async function toolQuestion(
  use: Use,
  policy: ToolPolicy,
  grants: readonly Grant[],
): Promise<Question> {
  const { tool, args, agent, cwd } = use;
  const said = await saidBy(use, policy);
  const ask = said?.ask ?? null;
  const payload = ask?.payload ?? args;
  const digests: TextDigests = new Map();
  const key = {
    cacheKey: cacheKeyOf(tool.name, payload, digests),
    toolVersion: tool.version,
    program: null,
    granted: null,
  };
  await otherTurns(jsonSize(args, MAX_AT_ONCE));
  const subject = {
    ...invocationOf(tool.name, args, agent),
    risk: tool.risk,
    said: said === null ? null : { hit: said.hit, doubt: null },
    line: null,
    needsMore: null,
  };
  const judged = judge(subject, policy);
  const mayRemember = said?.remember ?? true;
  const isRemembered = mayRemember && policy.operator.sessionGrants && policy.mode === "interactive";
  const remembered = answerByGrant(judged, isRemembered ? findGrant(grants, key) : null);
  return {
    verdict: answerByMode(remembered, policy.mode, false),
    // A tool of this name and version may do something else for another project that has the same store.
    argsHash: argsHashOf({ tool: tool.name, version: tool.version, input: args, agent, cwd }, digests),
    grantKey: key,
    groupId: ask?.groupId ?? null,
    show: () => {
      const description = said?.description ?? `use ${tool.name}`;
      return {
        risk: tool.risk,
        description: redactText(description).text,
        ...redact(ask?.displayArgs ?? args),
        covers: mayRemember ? coversOf(tool.name, payload, args) : null,
        granted: policy.granted ?? null,
      };
    },
    present: async () => {
      if (ask?.presentation !== undefined) return ask.presentation;
      const { presentStructured } = await import("./present.ts");
      return presentStructured(redact(ask?.displayArgs ?? args).safeArgs);
    },
  };
}

/** What a yes for the session covers, in words; null when it can't be told whole. */
export function coversOf(tool: string, payload: Json, args: Json): string | null {
  // What is not shown whole may be megabytes.
  if (!isShownWhole(redact(payload).redactions)) return null;
  const text = canonicalJson(payload);
  if (text === "{}") return `every use of ${tool}`;
  if (!redactText(text).isWhole) return null;
  return `${tool} with ${text}${isDeepStrictEqual(payload, args) ? "" : ", whatever else it is called with"}`;
}

/** What the tool's own checks came to; null where it has none. A check that fails denies. */
export async function saidBy(
  { use, tool }: Pick<Use, "use" | "tool">,
  { legacyBareTools }: Pick<ToolPolicy, "legacyBareTools">,
): Promise<Said | null> {
  const said = [...checked(use), ...(await required(use))];
  const decisive = strictest(said.map(({ hit, ask }) => ({ hit, ask, action: hit.action })));
  if (decisive !== undefined)
    return {
      hit: decisive.hit,
      ask: said.find(({ ask }) => ask !== null)?.ask ?? null,
      description: said.find(({ description }) => description !== null)?.description ?? null,
      remember: said.every(({ remember }) => remember),
    };
  if (legacyBareTools === "ask" || tool.risk === "destructive") return null;
  return {
    hit: hitOf("bare", "allow", "a tool that says nothing of approval runs"),
    ask: null,
    description: null,
    remember: true,
  };
}

function checked({ check }: ToolUse): readonly Said[] {
  if (check === null) return [];
  try {
    const answer: unknown = check();
    // A check that is async answers no question: what it comes to must not end the process.
    if (answer instanceof Promise) answer.catch(() => undefined);
    if (answer === null)
      return [
        {
          hit: hitOf("check", "allow", "the tool asks for no approval"),
          ask: null,
          description: null,
          remember: true,
        },
      ];
    const ask = Ask.safeParse(answer);
    if (!ask.success) return [failed("check", "what it answered is no question")];
    const { reason, description, remember = true } = ask.data;
    return [{ hit: hitOf("check", "ask", reason ?? description), ask: ask.data, description, remember }];
  } catch (cause) {
    return [failed("check", cause)];
  }
}

async function required({ requirement: require }: ToolUse): Promise<readonly Said[]> {
  if (require === null) return [];
  try {
    const requirement = Requirement.safeParse(await require());
    if (!requirement.success) return [failed("requirement", "what it answered is no requirement")];
    const { required: isRequired, reason, description = null, remember = true } = requirement.data;
    return [
      { hit: hitOf("requirement", isRequired ? "ask" : "allow", reason), ask: null, description, remember },
    ];
  } catch (cause) {
    return [failed("requirement", cause)];
  }
}

/** What a tool blocks itself, and any other failure of its check: both deny. */
function failed(rule: string, cause: unknown): Said {
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

/** A tool may put its arguments in its words: what looks like a secret in them is hidden before anyone reads them. */
function hitOf(rule: string, action: RuleHit["action"], reason: string): RuleHit {
  return { layer: "tool", rule, action, reason: redactText(reason).text };
}

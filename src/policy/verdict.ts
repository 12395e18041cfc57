import { visible } from "../errors.ts";
import { coversWords, matchesWord, type ShellRule } from "../shell/rule.ts";
import type { Action, ApprovalSection, Mode, OperatorApproval } from "./approval-section.ts";

/** One rule that spoke about a call, and what it said. */
export interface RuleHit {
  readonly layer: "operator" | "project" | "tool" | "mode" | "caller";
  readonly rule: string;
  readonly action: Action;
  readonly reason: string | null;
}

/** Whether a call may run. `demandsPerson`: neither a mode nor the caller's own typing answers this ask. */
export interface Verdict {
  readonly action: Action;
  readonly demandsPerson: boolean;
  readonly hits: readonly RuleHit[];
  /** The words of the rule that decided. */
  readonly reason: string;
}

/** What is known of one command line, for judging it. `words` null: a script that no parser has read. */
export interface Judged {
  readonly tool: string;
  readonly words: readonly string[] | null;
  /** File names of the program: as it was called, and of the file that it is when links are followed. */
  readonly programNames: readonly string[];
  /** The program is a file that this very call could write. */
  readonly isProgramWritable: boolean;
  /** True when every path among the words lies in one of the named roots. */
  readonly arePathsInside: (roots: readonly string[]) => boolean;
  /** The call's own target needs more than it gets unasked. */
  readonly needsMore: string | null;
}

/** The rules in force. */
export interface Rules {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  readonly shell: {
    readonly rules: readonly ShellRule[];
    readonly order: "first-match" | "strictest";
    readonly default: { readonly allowed: boolean; readonly approval: boolean };
  };
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Action, number>;

/**
 * The verdict on one call, with every rule that spoke. In order:
 * 1. a deny of the operator, of the project or of the tool's own rules denies, in every mode;
 * 2. an ask of the operator demands a person;
 * 3. the project's rule for the tool, else the tool's own rules, allow or ask;
 * 4. an allow whose own target needs more than it gets unasked becomes an ask.
 * Adding a stricter rule never loosens; a deny is never lifted.
 */
export function judge(judged: Judged, rules: Rules): Verdict {
  const operator = operatorHits(judged, rules.operator);
  const project = projectHit(judged, rules.approval);
  const tool = toolHit(judged, rules.shell);
  const hits = [...operator, ...(project === null ? [] : [project]), tool];
  const denying = hits.find((hit) => hit.action === "deny");
  if (denying !== undefined) return verdict("deny", false, hits, denying);
  const demanding = operator.find((hit) => hit.action === "ask");
  if (demanding !== undefined) return verdict("ask", true, hits, demanding);
  const decisive = project ?? tool;
  if (decisive.action === "allow" && judged.needsMore !== null) {
    const more: RuleHit = { layer: "tool", rule: "unasked", action: "ask", reason: judged.needsMore };
    return verdict("ask", false, [...hits, more], more);
  }
  return verdict(decisive.action, false, hits, decisive);
}

/**
 * What a mode, or a person who typed the command, makes of a verdict. `interactive` leaves an ask to a person; `strict`
 * denies it; `approve_all` and the caller's own typing allow it, unless an operator demands a person. What the caller
 * typed runs with what a yes grants, also where a rule would have let it pass.
 */
export function answerByMode(given: Verdict, mode: Mode, isCallersOwn: boolean): Verdict {
  if (given.action === "deny") return given;
  const answer = (action: Action, layer: "mode" | "caller", reason: string): Verdict => {
    const hit: RuleHit = { layer, rule: layer === "mode" ? mode : "typed", action, reason };
    return {
      ...given,
      action,
      hits: [...given.hits, hit],
      reason: action === "deny" ? `${reason} (${given.reason})` : reason,
    };
  };
  if (given.action === "allow")
    return isCallersOwn && mode !== "strict" ? answer("allow", "caller", given.reason) : given;
  if (mode === "strict") return answer("deny", "mode", "strict mode: approval required");
  if (given.demandsPerson)
    return mode === "approve_all"
      ? answer("deny", "mode", "an operator demands a person for this call")
      : given;
  if (mode === "approve_all") return answer("allow", "mode", "approve-all mode");
  return isCallersOwn ? answer("allow", "caller", "the caller typed it") : given;
}

function verdict(action: Action, demandsPerson: boolean, hits: readonly RuleHit[], by: RuleHit): Verdict {
  return { action, demandsPerson, hits, reason: by.reason ?? `${by.layer} rule ${visible(by.rule)}` };
}

function operatorHits(judged: Judged, operator: OperatorApproval): readonly RuleHit[] {
  return operator.rules.flatMap((rule): RuleHit[] => {
    const [text, covers] =
      "shell" in rule
        ? [rule.shell, coversShell(rule.shell, judged)]
        : [rule.pattern, matchesWord(rule.pattern, judged.tool)];
    return covers
      ? [{ layer: "operator", rule: text, action: rule.action, reason: rule.reason ?? null }]
      : [];
  });
}

/** An operator's rule also covers a command by its file name, and every script that no parser has read. */
function coversShell(pattern: string, judged: Judged): boolean {
  if (judged.tool !== "shell") return false;
  return judged.words === null || coversByAnyName(pattern, judged, judged.words, false);
}

/** True when the pattern covers the words, however the program is called: by its path, its name or a link to it. */
function coversByAnyName(pattern: string, judged: Judged, words: readonly string[], exact: boolean): boolean {
  const [program = "", ...rest] = words;
  return [program, ...judged.programNames].some((name) => coversWords(pattern, [name, ...rest], exact));
}

function projectHit(judged: Judged, { rules, order }: ApprovalSection): RuleHit | null {
  const matching = rules.filter((rule) => matchesWord(rule.pattern, judged.tool));
  const picked =
    order === "first-match"
      ? matching[0]
      : order === "last-match"
        ? matching.at(-1)
        : matching.toSorted((a, b) => RANK[b.action] - RANK[a.action])[0];
  return picked === undefined
    ? null
    : { layer: "project", rule: picked.pattern, action: picked.action, reason: picked.reason ?? null };
}

function toolHit(judged: Judged, { rules, order, default: otherwise }: Rules["shell"]): RuleHit {
  const { words } = judged;
  if (words === null) {
    const isBlocked = !otherwise.allowed;
    return {
      layer: "tool",
      rule: "script",
      action: isBlocked ? "deny" : "ask",
      reason: isBlocked ? "commands that no rule covers are not allowed" : "a script is run as a whole",
    };
  }
  const matching = rules.filter((rule) => speaks(rule, judged, words)).map(hitOf);
  const picked =
    order === "first-match" ? matching[0] : matching.toSorted((a, b) => RANK[b.action] - RANK[a.action])[0];
  if (picked !== undefined) return picked;
  const action = otherwise.allowed ? (otherwise.approval ? "ask" : "allow") : "deny";
  return {
    layer: "tool",
    rule: "default",
    action,
    reason:
      action === "deny" ? "commands that no rule covers are not allowed" : "no rule covers this command",
  };
}

/** A rule that asks nobody speaks only for a program that the call itself can't have written. */
function speaks(rule: ShellRule, judged: Judged, words: readonly string[]): boolean {
  if (!coversCommand(rule, judged, words)) return false;
  if (!rule.allowed) return true;
  if (rule.sandbox_paths !== undefined && !judged.arePathsInside(rule.sandbox_paths)) return false;
  return rule.approval || !judged.isProgramWritable;
}

/** A rule that forbids also covers the program by its file name, and by the name of the file behind a link. */
function coversCommand(rule: ShellRule, judged: Judged, words: readonly string[]): boolean {
  if (coversWords(rule.pattern, words, rule.exact)) return true;
  return !rule.allowed && coversByAnyName(rule.pattern, judged, words, rule.exact);
}

function hitOf(rule: ShellRule): RuleHit {
  const action = rule.allowed ? (rule.approval ? "ask" : "allow") : "deny";
  return {
    layer: "tool",
    rule: rule.pattern,
    action,
    reason: rule.description ?? (rule.allowed ? null : `command blocked: ${rule.pattern}`),
  };
}

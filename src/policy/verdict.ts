import { visible } from "../errors.ts";
import { type Action, type Mode, strictest } from "./action.ts";
import type { ApprovalSection, OperatorApproval, OperatorRule } from "./approval-section.ts";
import type { CommandLine } from "./command.ts";
import type { Grant } from "./grant.ts";
import { PatternsByProgram } from "./patterns-by-program.ts";
import { coverageOf, type ReadCommand, readCommands } from "./reading.ts";
import { type Risk, riskAction } from "./risk.ts";
import type { RuleHit, ToolSaid } from "./rule-hit.ts";
import { maybeHit, namesShell, reasonOf, unsettledReason } from "./shell-rules.ts";
import { coversInvocation, type Invocation, pickRule, type RuleLayer, type ToolRule } from "./tool-rule.ts";

/** One call, as far as it is judged. */
export interface Subject extends Invocation {
  readonly risk: Risk | null;
  /** Null for a tool that says nothing. */
  readonly said: ToolSaid | null;
  /** The command line of the shell tool; null for any other tool. */
  readonly line: CommandLine | null;
  /** Why the call's own target needs more than it gets unasked, if it does. */
  readonly needsMore: string | null;
}

/** Whether a call may run. `demandsPerson`: neither a grant nor a mode nor the caller's own typing answers this ask. */
export interface Verdict {
  readonly action: Action;
  readonly demandsPerson: boolean;
  readonly hits: readonly RuleHit[];
  /** The words of the rule that decided. */
  readonly reason: string;
}

/** The rules in force. */
export interface Rules {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  /** Further lists of the project's rules, such as those on one server's tools: each is a layer of its own. */
  readonly further?: readonly RuleLayer[];
}

/**
 * The verdict on one call, with every rule that spoke. In order:
 * 1. each layer picks its rule: the project and the agent by their order, operators every rule that is about the call;
 * 2. a deny of any layer, or of the tool itself, denies, and so does the default for a risk where neither a layer nor the
 *    tool speaks: in every mode, whatever was granted before, and whatever an operator would rather have asked about;
 * 3. an ask of an operator, or of a picked rule that says `remember: false`, demands a person;
 * 4. the strictest of the picked rules allows or asks;
 * 5. where no rule is about the call, what the tool says;
 * 6. where the tool says nothing, the default for its risk;
 * 7. an allow of a call that may hold what the tool denies, unseen, becomes an ask;
 * 8. an allow whose own target needs more than it gets unasked becomes an ask.
 * Adding a stricter rule never loosens, where the order of its layer is `strictest`; a deny is never lifted by anything
 * but a later rule of the same layer, as that layer's order says.
 */
export function judge(subject: Subject, rules: Rules): Verdict {
  const operator = operatorHits(subject, rules.operator);
  const picked = pickedHits(subject, rules);
  const spoken = [...picked.map(({ hit }) => hit), ...saidHits(subject)];
  const unspoken = riskHit(subject, rules.approval);
  const hits = [...operator, ...spoken, ...(spoken.length === 0 ? [unspoken] : [])];
  const denying = hits.find((hit) => hit.action === "deny");
  if (denying !== undefined) return verdict("deny", false, hits, denying);
  const demanding =
    operator.find((hit) => hit.action === "ask") ?? picked.find(({ demandsPerson }) => demandsPerson)?.hit;
  if (demanding !== undefined) return verdict("ask", true, hits, demanding);
  return tightened(subject, hits, strictest(picked.map(({ hit }) => hit)) ?? subject.said?.hit ?? unspoken);
}

/**
 * What a grant of the session makes of a verdict: an allow with what a yes grants. It lifts no deny and does not answer
 * where a person is demanded.
 */
export function answerByGrant(given: Verdict, grant: Grant | null): Verdict {
  if (grant === null || given.action === "deny" || given.demandsPerson) return given;
  return answered(given, "allow", {
    layer: "grant",
    rule: grant.covers,
    action: "allow",
    reason: `${grant.by} said yes for this session`,
  });
}

/**
 * What a mode, or a person who typed the command, makes of a verdict. `interactive` leaves an ask to a person; `strict`
 * denies it; `approve_all` and the caller's own typing allow it, unless a person is demanded. What the caller typed runs
 * with what a yes grants, also where a rule would have let it pass.
 */
export function answerByMode(given: Verdict, mode: Mode, isCallersOwn: boolean): Verdict {
  if (given.action === "deny") return given;
  const byMode = (action: Action, reason: string): Verdict =>
    answered(given, action, { layer: "mode", rule: mode, action, reason });
  const byCaller = (reason: string): Verdict =>
    answered(given, "allow", { layer: "caller", rule: "typed", action: "allow", reason });
  if (given.action === "allow") return isCallersOwn && mode !== "strict" ? byCaller(given.reason) : given;
  if (mode === "strict") return byMode("deny", "strict mode: approval required");
  if (given.demandsPerson)
    return mode === "approve_all"
      ? byMode("deny", `${demander(given)} demands a person for this call`)
      : given;
  if (mode === "approve_all") return byMode("allow", "approve-all mode");
  return isCallersOwn ? byCaller("the caller typed it") : given;
}

/** True when what runs gets what a yes grants: a person, a grant or a mode said it, not a rule that let it pass. */
export function isByYes({ hits }: Verdict): boolean {
  return hits.some(
    ({ layer, action }) =>
      action === "allow" && (layer === "mode" || layer === "caller" || layer === "grant"),
  );
}

function demander({ hits }: Verdict): string {
  return hits.some(({ layer, action }) => layer === "operator" && action === "ask")
    ? "an operator"
    : "a rule";
}

function answered(given: Verdict, action: Action, hit: RuleHit): Verdict {
  const reason = hit.reason ?? given.reason;
  return {
    ...given,
    action,
    hits: [...given.hits, hit],
    reason: action === "deny" ? `${reason} (${given.reason})` : reason,
  };
}

/** All that the tool's own rules say. */
function saidHits({ said }: Subject): readonly RuleHit[] {
  return said === null ? [] : [said.hit, ...(said.others ?? [])];
}

/** An allow may be one only as far as nothing else speaks against it. */
function tightened({ said, needsMore }: Subject, hits: readonly RuleHit[], decisive: RuleHit): Verdict {
  if (decisive.action !== "allow") return verdict(decisive.action, false, hits, decisive);
  const doubt = said?.doubt ?? null;
  if (doubt !== null) return verdict("ask", false, hits.includes(doubt) ? hits : [...hits, doubt], doubt);
  if (needsMore === null) return verdict("allow", false, hits, decisive);
  const more: RuleHit = { layer: "tool", rule: "unasked", action: "ask", reason: needsMore };
  return verdict("ask", false, [...hits, more], more);
}

function verdict(action: Action, demandsPerson: boolean, hits: readonly RuleHit[], by: RuleHit): Verdict {
  return { action, demandsPerson, hits, reason: by.reason ?? `${by.layer} rule ${visible(by.rule)}` };
}

interface Picked {
  readonly hit: RuleHit;
  readonly demandsPerson: boolean;
}

/** The rule that the project picks, the one that the agent's own layer picks, and those that further layers do. */
function pickedHits(subject: Subject, { approval, further = [] }: Rules): readonly Picked[] {
  const { rules, order, agents } = approval;
  const { agent } = subject;
  const own = agent === null || !Object.hasOwn(agents, agent) ? undefined : agents[agent];
  const project = pickRule(rules, order, subject);
  const ofAgent = own === undefined ? undefined : pickRule(own.rules, own.order, subject);
  const others = further.map((layer) => pickRule(layer.rules, layer.order, subject));
  return [
    ...(project === undefined ? [] : [pickedHit("project", project)]),
    ...(ofAgent === undefined ? [] : [pickedHit("agent", ofAgent)]),
    ...others.flatMap((rule) => (rule === undefined ? [] : [pickedHit("project", rule)])),
  ];
}

function pickedHit(layer: "project" | "agent", { pattern, action, reason, remember }: ToolRule): Picked {
  return { hit: { layer, rule: pattern, action, reason: reason ?? null }, demandsPerson: remember === false };
}

function riskHit({ risk, tool }: Subject, { risk_defaults: defaults }: ApprovalSection): RuleHit {
  const action = riskAction(defaults, risk);
  const reason = `no rule covers ${visible(tool)}, and its risk is ${risk ?? "unknown"}`;
  return { layer: "risk", rule: risk ?? "unknown", action, reason };
}

function operatorHits(subject: Subject, operator: OperatorApproval): readonly RuleHit[] {
  const shellRules = operator.rules.filter((rule) => "shell" in rule);
  const line = subject.line === null || shellRules.length === 0 ? null : readLine(subject.line, shellRules);
  return operator.rules.flatMap((rule): readonly RuleHit[] => {
    const { action, reason } = rule;
    if ("shell" in rule) {
      const hit = line === null ? null : lineHit(rule, line);
      return hit === null ? [] : [hit];
    }
    return coversInvocation(rule, subject)
      ? [{ layer: "operator", rule: rule.pattern, action, reason: reason ?? null }]
      : [];
  });
}

type OperatorShellRule = Extract<OperatorRule, { readonly shell: string }>;

/** A line as operators' rules see it: each command, and which rules cover it in any reading. */
interface ReadLine extends Pick<CommandLine, "unread" | "shell"> {
  readonly commands: readonly {
    readonly read: ReadCommand;
    readonly covered: ReadonlyMap<OperatorShellRule, "surely" | "maybe">;
  }[];
}

function readLine({ commands, unread, shell }: CommandLine, rules: readonly OperatorShellRule[]): ReadLine {
  const patterns = new PatternsByProgram(rules, (rule) => rule.shell);
  return {
    unread,
    shell,
    commands: readCommands(commands, patterns.knownBy).map((read) => {
      const covered = new Map<OperatorShellRule, "surely" | "maybe">();
      for (const reading of [read.written, ...read.others])
        for (const { rule, pattern } of patterns.about(reading.name)) {
          if (covered.get(rule) === "surely") continue;
          const coverage = coverageOf(pattern, false, reading);
          if (coverage !== "no") covered.set(rule, coverage === "maybe" ? "maybe" : "surely");
        }
      return { read, covered };
    }),
  };
}

/**
 * What an operator's rule says about a line: the strictest of what it says about each command. It covers a command however
 * it is spelled, and whatever runs what its words say; about what is not understood it asks.
 */
function lineHit(rule: OperatorShellRule, { commands, unread, shell }: ReadLine): RuleHit | null {
  const { shell: pattern, action, reason } = rule;
  const hit: RuleHit = { layer: "operator", rule: pattern, action, reason: reason ?? null };
  const isAboutAll = /^\s*\*+\s*$/.test(pattern);
  if (isAboutAll || (shell !== null && namesShell(pattern, shell))) return hit;
  const found = strictest(
    commands.flatMap(({ read, covered }) => {
      const one = commandHit(hit, read, covered.get(rule));
      return one === null ? [] : [{ action: one.action, hit: one, command: read.command }];
    }),
  );
  const named =
    found === undefined
      ? []
      : [commands.length === 1 ? found.hit : { ...found.hit, reason: reasonOf(found.hit, found.command) }];
  const unreadHit: RuleHit = {
    ...hit,
    action: "ask",
    reason: reason ?? `no parser has read whether this runs ${visible(pattern)}`,
  };
  return strictest([...named, ...(unread.length === 0 ? [] : [unreadHit])]) ?? null;
}

function commandHit(
  hit: RuleHit,
  { command, isProgramUnread, isNameUnknown, hazard }: ReadCommand,
  covered: "surely" | "maybe" | undefined,
): RuleHit | null {
  if (covered === "surely") return hit;
  const unread = hit.reason ?? `no parser has read whether this runs ${visible(hit.rule)}`;
  if (isProgramUnread) return { ...hit, reason: unread };
  if (isNameUnknown || hazard?.does === "runs") return { ...hit, action: "ask", reason: unread };
  const unsettled = unsettledReason(command);
  if (unsettled !== null) return { ...hit, action: "ask", reason: hit.reason ?? unsettled };
  return covered === "maybe" ? maybeHit("operator", hit.rule, hit.reason ?? undefined) : null;
}

import type { ErrorCode } from "../errors.ts";

/**
 * The author of a denial: a written rule, an operator's, the tool itself, the default for its risk, the approval mode, a
 * person (`remembered`: for this session; `rejections`: three times), a reviewer, nobody because no person could be
 * asked, a timeout, an approval that does not hold for it, too many waiting requests, or files that kept changing.
 */
export type DeniedBy =
  | "rule"
  | "operator"
  | "tool"
  | "risk"
  | "mode"
  | "person"
  | "reviewer"
  | "remembered"
  | "rejections"
  | "nobody"
  | "timeout"
  | "approval"
  | "queue"
  | "facts";

/** The texts of one kind of denial, for the person who runs the product and for the model that made the call. */
interface DenialWords {
  readonly code: ErrorCode;
  /** The next thing to do, for a person. */
  readonly hint: string;
  /** Advice: an act in a model's power or in its user's. */
  readonly advice: string;
  /** Whether the same call, made again, may have another end. */
  readonly repeat: "no" | "later" | "yes";
}

const DO_WITHOUT = "Repeating the call, also in other words, does not help.";

/** Every kind of denial by the approval layer. The sandbox and the profiles deny in words of their own. */
export const DENIALS = {
  rule: {
    code: "APPROVAL_BLOCKED",
    hint: "no approval can allow it; change the rule in the config or the profile",
    advice: `do without it, or ask the user to change this rule of the config. ${DO_WITHOUT}`,
    repeat: "no",
  },
  operator: {
    code: "APPROVAL_BLOCKED",
    hint: "only the author of the operator profile can allow it",
    advice: `do without it: only the author of an operator profile can allow it. ${DO_WITHOUT}`,
    repeat: "no",
  },
  tool: {
    code: "APPROVAL_BLOCKED",
    hint: "no approval can allow it; change the arguments",
    advice: "other arguments, or do without it: no approval can allow this use. Repeating it does not help.",
    repeat: "no",
  },
  risk: {
    code: "APPROVAL_BLOCKED",
    hint: "add a rule to the config that allows it",
    advice: `do without it, or ask the user to allow this tool by a rule in the config. ${DO_WITHOUT}`,
    repeat: "no",
  },
  mode: {
    code: "APPROVAL_DENIED",
    hint: "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
    advice:
      "a call that needs no approval, or ask the user to allow this one by a rule in the config. Repeating it does not help.",
    repeat: "no",
  },
  person: {
    code: "APPROVAL_DENIED",
    hint: "make another call",
    advice: "ask the user what to do instead. Do not repeat the call, also not in other words.",
    repeat: "no",
  },
  reviewer: {
    code: "APPROVAL_DENIED",
    hint: "a person can approve it with `cofferdam approvals`, or is asked if it is made again",
    advice:
      "do without it; or, if the user wants it, repeat the very call: a person is then asked in place of the reviewer.",
    repeat: "later",
  },
  remembered: {
    code: "APPROVAL_DENIED",
    hint: "make another call; a person can take the rejection back with `cofferdam grants revoke`",
    advice:
      "ask the user what to do instead. Do not repeat the call, also not in other words: it is rejected for this session.",
    repeat: "no",
  },
  rejections: {
    code: "APPROVAL_DENIED",
    hint: "make another call",
    advice:
      "ask the user what to do instead. Do not repeat the call: no person is asked about it again in this session.",
    repeat: "no",
  },
  nobody: {
    code: "APPROVAL_DENIED",
    hint: "run it in a terminal, open a channel under `approval.channels`, or add a rule to the config that allows it",
    advice:
      "ask the user to open a way to approve calls, or to allow this one by a rule in the config. Repeating it helps only after that.",
    repeat: "later",
  },
  timeout: {
    code: "APPROVAL_TIMEOUT",
    hint: "try again when a person can answer",
    advice: "tell the user that it needs their approval, then repeat the call: they are asked again.",
    repeat: "yes",
  },
  approval: {
    code: "APPROVAL_DENIED",
    hint: "make another call, or repeat this one to ask again",
    advice: "repeat the call if it should still run: a person is asked about it.",
    repeat: "yes",
  },
  queue: {
    code: "APPROVAL_DENIED",
    hint: "wait for answers, or make a smaller call",
    advice: "wait until earlier requests are answered, then repeat the call; or make a smaller one.",
    repeat: "later",
  },
  facts: {
    code: "FACTS_UNSTABLE",
    hint: "run it again when no program changes these files",
    advice: "repeat the call when no program changes its files.",
    repeat: "later",
  },
} as const satisfies Record<DeniedBy, DenialWords>;

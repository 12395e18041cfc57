import { type Failure, giveUp, orFailure, refuse } from "./fault.ts";
import { SPECS } from "./filter-table.ts";
import { isOperation } from "./operations.ts";
import { type Plan, planner } from "./plan.ts";
import type { Reading } from "./query.ts";
import { type Expression, read } from "./read.ts";
import { type Rule, ruleOf } from "./rule.ts";
import type { StringContext } from "./strings.ts";

/** A text that the system would take. `planFor` is for `decide`. */
export interface Profile {
  readonly kind: "profile";
  /** In the order of the text. */
  readonly rules: readonly Rule[];
  readonly planFor: (operation: string) => Plan;
}

/** What a text depends on beside the reading. */
export interface CompileOptions {
  /** What `sandbox-exec -D` was given. */
  readonly params?: ReadonlyMap<string, string>;
  /** True for how it was before macOS 12.3: `file-write*` has `file-write-setugid`. */
  readonly setugidIsWrite?: boolean;
}

/** How many rules a profile may have: above, compiling was seen to crash (nono keeps to 16,384). */
export const MAX_RULES = 17_770;

/** The profile of a text, or why it is none: once for each text, its parameters and these two fields of a reading. */
export function compile(
  text: string,
  reading: Pick<Reading, "sharpStrings" | "knows">,
  options: CompileOptions = {},
): Profile | Failure {
  return orFailure(() => {
    const rules = rulesOf(read(text), reading, options.params ?? new Map());
    return { kind: "profile", rules, planFor: planner(rules, options.setugidIsWrite ?? false) };
  });
}

/** The rules of a text that was read. It throws a `Fault`. */
export function rulesOf(
  forms: readonly Expression[],
  { sharpStrings, knows }: Pick<Reading, "sharpStrings" | "knows">,
  params: ReadonlyMap<string, string>,
): readonly Rule[] {
  const [version, ...others] = forms;
  checkVersion(version);
  const strings = { sharpStrings, params };
  const rules = others.flatMap((form) => rulesOfForm(form, knows, strings));
  const over = rules[MAX_RULES];
  if (over !== undefined) refuse(over.line, `over ${MAX_RULES} rules`);
  return rules;
}

function checkVersion(form: Expression | undefined): void {
  const line = form?.line ?? 1;
  const [head, number, ...more] = form?.kind === "list" ? form.items : [];
  if (head?.kind !== "symbol" || head.name !== "version") refuse(line, "no version specified");
  const isOne = number?.kind === "number" && number.value === 1 && more.length === 0;
  if (!isOne) refuse(line, "a version other than 1");
}

function rulesOfForm(form: Expression, knows: Reading["knows"], strings: StringContext): readonly Rule[] {
  const { line } = form;
  if (form.kind !== "list") return refuse(line, "a form that is no list");
  const [head, ...rest] = form.items;
  const name = head?.kind === "symbol" ? head.name : "";
  switch (name) {
    case "allow":
    case "deny":
      return [ruleOf(name, rest, line, knows, strings)];
    case "if":
    case "when":
      return chosenForms(name, rest, line, knows).flatMap((one) => rulesOfForm(one, knows, strings));
    case "debug": {
      const [what] = rest;
      const isDeny = rest.length === 1 && what?.kind === "symbol" && what.name === "deny";
      return isDeny ? [] : giveUp(line, "`debug` of anything but `deny`");
    }
    default:
      return giveUp(line, `the form \`${name}\``);
  }
}

/** The forms that a guard leaves; the system does not look into the others. */
function chosenForms(
  name: "if" | "when",
  [condition, ...forms]: readonly Expression[],
  line: number,
  knows: Reading["knows"],
): readonly Expression[] {
  const [head, operation, ...more] = condition?.kind === "list" ? condition.items : [];
  const isGuard = head?.kind === "symbol" && head.name === "defined?" && more.length === 0;
  if (!isGuard || operation?.kind !== "quoted")
    return giveUp(line, `\`${name}\` without \`(defined? 'operation)\``);
  if (forms.length === 0 || (name === "if" && forms.length > 2))
    return refuse(line, `\`${name}\` with ${forms.length} forms`);
  const isKnown = knows(operation.name);
  // A filter's name is defined, too, but only operations are asked of the reading.
  if (isKnown ? !isOperation(operation.name) : SPECS.has(operation.name))
    giveUp(line, `what \`${operation.name}\` is`);
  if (name === "when") return isKnown ? forms : [];
  return isKnown ? forms.slice(0, 1) : forms.slice(1);
}

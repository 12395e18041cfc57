import type { Filter } from "../filters.ts";
import { type Regex, regexOf } from "../match-regex.ts";
import type { Rule } from "../rule.ts";

/** What of a text was taken away. */
export type Kind =
  | "carve-out of an allow"
  | "alternative in a carve-out's regex"
  | "exception of a deny"
  | "whole deny"
  | "alternative of a deny"
  | "alternative in a deny's regex"
  | "passable folder";

/** The rules of a text without one part of one of them. */
export interface Mutant {
  readonly kind: Kind;
  readonly rules: readonly Rule[];
  /** The rule that lost something, as it was. */
  readonly rule: Rule;
  /** What it lost, where it was a condition: only where this holds can an answer be another one now. */
  readonly lost: Filter | null;
  /** What it is left with; null: it is gone. */
  readonly left: readonly Filter[] | null;
}

/** Every mutant of these rules: each carve-out, exception, alternative and deny is taken away by itself. */
export function mutantsOf(rules: readonly Rule[], isAimedAt: (rule: Rule) => boolean): readonly Mutant[] {
  return rules.flatMap((rule, at) => {
    if (!isAimedAt(rule)) return [];
    return lossesOf(rule).map(({ kind, left, lost }): Mutant => {
      const changed = left === null ? [] : [{ ...rule, filters: left }];
      return { kind, rule, lost, left, rules: rules.toSpliced(at, 1, ...changed) };
    });
  });
}

interface Loss {
  readonly kind: Kind;
  /** The filters that are left; null: the rule is gone. */
  readonly left: readonly Filter[] | null;
  readonly lost: Filter | null;
}

function lossesOf(rule: Rule): readonly Loss[] {
  const [only, ...more] = rule.filters;
  if (only === undefined || more.length > 0) throw new Error(`line ${rule.line} has not one filter`);
  const isDeny = rule.action === "deny";
  const conditions = only.kind === "all" ? only.of : [only];
  const left = (of: readonly Filter[]): readonly Filter[] => [{ kind: "all", line: only.line, of }];
  const isPassing = rule.operations.join(" ") === "file-read-metadata";
  return [
    ...(isDeny ? [{ kind: "whole deny", left: null, lost: only } as const] : []),
    ...conditions.flatMap((condition, at): readonly Loss[] => {
      const others = conditions.toSpliced(at, 1);
      if (condition.kind === "not")
        return ofCondition(condition, isDeny).map((loss) => ({
          ...loss,
          left: left([...others, ...loss.left]),
        }));
      if (!isDeny && !isPassing) return [];
      const [one, regex] = isDeny
        ? (["alternative of a deny", "alternative in a deny's regex"] as const)
        : (["passable folder", "passable folder"] as const);
      return fewer(condition).map(({ lost, with: kept, isRegex }) => ({
        kind: isRegex ? regex : one,
        left: left([...others, kept]),
        lost,
      }));
    }),
  ];
}

function ofCondition(
  condition: Extract<Filter, { kind: "not" }>,
  isDeny: boolean,
): readonly { readonly kind: Kind; readonly left: readonly Filter[]; readonly lost: Filter }[] {
  const kind = isDeny ? "exception of a deny" : "carve-out of an allow";
  return [
    { kind, left: [], lost: condition.of },
    ...fewer(condition.of).map(({ lost, with: kept }) => ({
      kind: "alternative in a carve-out's regex" as const,
      left: [{ ...condition, of: kept }],
      lost,
    })),
  ];
}

interface Fewer {
  readonly lost: Filter;
  readonly with: Filter;
  readonly isRegex: boolean;
}

/** A condition with one of its alternatives less: of `require-any`, and of the group in a regex. */
function fewer(filter: Filter): readonly Fewer[] {
  if (filter.kind === "any")
    return filter.of.flatMap((one, at): readonly Fewer[] => {
      const others = filter.of.toSpliced(at, 1);
      if (others.length === 0) return [];
      return [
        { lost: one, with: { ...filter, of: others }, isRegex: false },
        ...fewer(one).map((less) => ({
          ...less,
          with: { ...filter, of: filter.of.with(at, less.with) },
        })),
      ];
    });
  if (filter.kind !== "path-regex") return [];
  const [regex] = filter.regexes;
  const split = regex === undefined ? null : splitGroup(regex.source);
  if (split === null) return [];
  const { start, tails, end } = split;
  const made = (some: readonly string[]): Filter => ({
    ...filter,
    regexes: [regexFrom(start, some, end, filter.line)],
  });
  return tails.map((tail, at) => {
    const kept = made(tails.toSpliced(at, 1));
    return { lost: made([tail]), with: kept, isRegex: true };
  });
}

function regexFrom(start: string, tails: readonly string[], end: string, line: number): Regex {
  return regexOf(`${start}(${tails.join("|")})${end}`, line);
}

/** The last group of alternatives that stands by itself before the end of a regex; null where there is none. */
function splitGroup(
  source: string,
): { readonly start: string; readonly tails: readonly string[]; readonly end: string } | null {
  const end = ["(/[^/]*)?(/.*)?$", "($|/)", "$", "[^/]", "/"].find((one) => source.endsWith(one)) ?? "";
  const body = source.slice(0, source.length - end.length);
  if (!body.endsWith(")")) return null;
  let depth = 0;
  let isInSet = false;
  const cuts: number[] = [];
  let start = -1;
  for (let at = 0; at < body.length; at += 1) {
    const character = body.charAt(at);
    if (character === "\\") at += 1;
    else if (isInSet) isInSet = character !== "]";
    else if (character === "[") isInSet = true;
    else if (character === "(") {
      if (depth === 0) {
        start = at;
        cuts.length = 0;
      }
      depth += 1;
    } else if (character === ")") depth -= 1;
    else if (character === "|" && depth === 1) cuts.push(at);
  }
  if (start === -1 || cuts.length === 0) return null;
  const bounds = [start, ...cuts, body.length - 1];
  const tails = bounds.slice(1).map((cut, index) => body.slice((bounds[index] ?? 0) + 1, cut));
  return { start: body.slice(0, start), tails, end };
}

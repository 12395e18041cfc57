import { giveUp, refuse } from "./fault.ts";

/** Some units: those within one of the ranges, ends and all, or with `isNegated` those that are not. */
export interface UnitSet {
  readonly ranges: readonly (readonly [number, number])[];
  readonly isNegated: boolean;
}

/** A regex, parsed. */
export type RegexNode =
  | { readonly kind: "set"; readonly set: UnitSet }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "sequence" | "either"; readonly of: readonly RegexNode[] }
  | { readonly kind: "repeat"; readonly of: RegexNode; readonly least: 0 | 1; readonly isMany: boolean };

const META = new Set("^$.[]*+?|(){}\\");
const SIGNS = new Set("*+?");
const CLASS_SIGNS = new Set(".:=");
const ANY: UnitSet = { ranges: [], isNegated: true };

/**
 * The tree of a regex, given as units: `^ $ . [abc] [^a-z] * + ? | ( )`, and a backslash before what is neither a letter
 * nor a digit. It throws a `Fault` on all else, since no source says what it means.
 */
export function parseRegex(units: readonly number[], line: number): RegexNode {
  const chars = units.map((unit) => (unit < 0x80 ? String.fromCharCode(unit) : "other"));
  let at = 0;
  const isNext = (among: ReadonlySet<string>, ahead = 0) => among.has(chars[at + ahead] ?? "none");

  function either(depth: number): RegexNode {
    const of = [sequence(depth)];
    while (chars[at] === "|") {
      at += 1;
      of.push(sequence(depth));
    }
    return { kind: "either", of };
  }

  function sequence(depth: number): RegexNode {
    const of: RegexNode[] = [];
    while (at < units.length && chars[at] !== "|" && !(chars[at] === ")" && depth > 0))
      of.push(repeated(depth));
    if (of.length === 0) giveUp(line, "a regex with an alternative of nothing");
    return { kind: "sequence", of };
  }

  function repeated(depth: number): RegexNode {
    const of = one(depth);
    const sign = chars[at];
    if (!isNext(SIGNS)) return of;
    if (of.kind === "start" || of.kind === "end") giveUp(line, "a regex that repeats an end of the text");
    at += 1;
    if (isNext(SIGNS)) giveUp(line, "a regex with two signs of repetition");
    return { kind: "repeat", of, least: sign === "+" ? 1 : 0, isMany: sign !== "?" };
  }

  function one(depth: number): RegexNode {
    const char = chars[at] ?? "";
    const unit = units[at] ?? 0;
    at += 1;
    if (char === "^") return { kind: "start" };
    if (char === "$") return { kind: "end" };
    if (char === ".") return { kind: "set", set: ANY };
    if (char === "(") return group(depth);
    if (char === "[") return { kind: "set", set: bracket() };
    if (char === "\\") return escaped();
    return META.has(char) ? giveUp(line, `a bare \`${char}\` in a regex`) : literal(unit);
  }

  function group(depth: number): RegexNode {
    const inner = either(depth + 1);
    if (chars[at] !== ")") refuse(line, "a group of a regex without an end");
    at += 1;
    return inner;
  }

  function escaped(): RegexNode {
    const char = chars[at] ?? "";
    const unit = units[at] ?? 0;
    at += 1;
    return /^[!-/:-@[-`{-~]$/.test(char) ? literal(unit) : giveUp(line, `\`\\${char}\` in a regex`);
  }

  function bracket(): UnitSet {
    const isNegated = chars[at] === "^";
    if (isNegated) at += 1;
    const ranges: (readonly [number, number])[] = [];
    while (chars[at] !== "]" || ranges.length === 0) {
      const first = member();
      const isRange = chars[at] === "-" && chars[at + 1] !== "]";
      if (isRange) at += 1;
      const last = isRange ? member() : first;
      if (isRange && (first > last || first > 0x7f || last > 0x7f)) giveUp(line, "such a range in a regex");
      ranges.push([first, last]);
    }
    at += 1;
    return { ranges, isNegated };
  }

  function member(): number {
    const unit = units[at] ?? refuse(line, "a bracket of a regex without an end");
    const char = chars[at] ?? "";
    const isClass = char === "[" && isNext(CLASS_SIGNS, 1);
    if (char === "\\" || char === "]" || isClass) giveUp(line, `\`${char}\` in a bracket of a regex`);
    at += 1;
    return unit;
  }

  return either(0);
}

function literal(unit: number): RegexNode {
  return { kind: "set", set: { ranges: [[unit, unit]], isNegated: false } };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileRules } from "../../../src/backend/seatbelt/file-rules.ts";
import { replay } from "../../../src/backend/seatbelt/replay.ts";
import { printRules } from "../../../src/backend/seatbelt/sbpl.ts";
import { translate } from "../../../src/backend/seatbelt/translate.ts";
import { isAtMost } from "../../../src/profile/access.ts";
import { type Kind, pathRuler } from "../../../src/profile/access-to.ts";
import { path, pathProbe, profile } from "../../support/generate.ts";

/**
 * A second reading of the printed text, which shares nothing with what printed it. The sources disagree on which of
 * several rules counts, so it reads in three ways: the first that holds, the last, and the last of the most specific
 * operation that has one.
 */
const READINGS = ["first", "last", "most specific"] as const;

/** Each operation after those that it is part of. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  "file-read-data": ["file-read*"],
  "file-write-data": ["file-write*"],
  "file-write-create": ["file-write*"],
};

describe("the text of the rules", () => {
  it("gives no more than the profile in any reading, and for names of printable ASCII the same in each", () => {
    const probes = fc.array(pathProbe, { minLength: 5, maxLength: 5 });
    const property = fc.property(profile, fc.array(path, { maxLength: 3 }), probes, (given, hits, asked) => {
      const { rules } = fileRules(given, { hits });
      const text = parse(printRules(rules.map(translate)).join("\n"));
      const ask = replay(rules);
      const ruler = pathRuler(given);
      for (const { path, facts } of asked) {
        const rights = [
          ["file-read-data", "read", "read"],
          ["file-write-data", "change", "write"],
          ["file-write-create", "names", "write"],
        ] as const;
        for (const [operation, right, needed] of rights) {
          const readings = READINGS.map((reading) => decide(text, reading, operation, path, facts.kind));
          expect(!readings.includes(true) || isAtMost(needed, ruler(path, facts).access)).toBe(true);
          const isMeant = ask(right, path, facts.kind) === "allow";
          // A run of other characters stands for any such run in what takes away, so these may be read as less.
          if (/^[ -~]*$/.test(path)) expect(readings).toEqual([isMeant, isMeant, isMeant]);
        }
      }
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it("can be read back: every character of a name stays in its string", () => {
    expect(parse('(allow file-read* (literal "/a\\"b\\\\(c"))')).toEqual([
      ["allow", "file-read*", ["literal", { text: '/a"b\\(c' }]],
    ]);
  });

  it("would be read in different ways if an allow did not leave out what a deny takes", () => {
    const text = parse('(allow file-read-data (subpath "/")) (deny file-read* (literal "/.env"))');
    const answers = READINGS.map((reading) => decide(text, reading, "file-read-data", "/.env", "file"));
    expect(answers).toEqual([true, false, true]);
  });
});

type Expression = string | { readonly text: string } | readonly Expression[];

/** The expressions of a text: lists, words and strings. */
function parse(text: string): readonly Expression[] {
  const tokens = text.match(/[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+/gs) ?? [];
  const open: Expression[][] = [[]];
  for (const token of tokens) {
    if (token === "(") open.push([]);
    else if (token !== ")")
      open
        .at(-1)
        ?.push(token.startsWith('"') ? { text: token.slice(1, -1).replace(/\\(.)/gs, "$1") } : token);
    else {
      const list = open.pop() ?? [];
      open.at(-1)?.push(list);
    }
  }
  if (open.length !== 1) throw new Error("parentheses do not match");
  return open[0] ?? [];
}

function decide(
  text: readonly Expression[],
  reading: (typeof READINGS)[number],
  operation: string,
  path: string,
  kind: Kind,
): boolean {
  const chain = [operation, ...(PARTS[operation] ?? [])];
  const holding = text.flatMap((rule) => {
    if (typeof rule === "string" || "text" in rule || rule[1] === "default" || rule[0] === "version")
      return [];
    const [action, ...rest] = rule;
    const [filter, ...others] = rest.filter((one) => typeof one !== "string");
    if (filter === undefined || others.length > 0) throw new Error("a rule on files has one filter");
    return holds(filter, path, kind) ? [{ action, operations: rest }] : [];
  });
  const speaking = (names: readonly string[]) =>
    holding.filter((rule) => names.some((name) => rule.operations.includes(name)));
  switch (reading) {
    case "first":
      return speaking(chain)[0]?.action === "allow";
    case "last":
      return speaking(chain).at(-1)?.action === "allow";
    case "most specific":
      return (
        chain.map((name) => speaking([name]).at(-1)).find((rule) => rule !== undefined)?.action === "allow"
      );
  }
}

function holds(filter: Expression, path: string, kind: Kind): boolean {
  if (typeof filter === "string" || "text" in filter)
    throw new Error(`${JSON.stringify(filter)} is no filter`);
  const [name, ...parts] = filter;
  const texts = parts.flatMap((part) => (typeof part === "object" && "text" in part ? [part.text] : []));
  switch (name) {
    case "require-all":
      return parts.every((part) => holds(part, path, kind));
    case "require-any":
      return parts.some((part) => holds(part, path, kind));
    case "require-not":
      return !parts.every((part) => holds(part, path, kind));
    case "literal":
      return texts.includes(path);
    case "subpath":
      return texts.some((text) => path.startsWith(text === "/" ? text : `${text}/`));
    case "regex":
      return texts.some((text) => new RegExp(text).test(path));
    case "vnode-type":
      return kind === "folder";
    default:
      throw new Error(`${JSON.stringify(name)} is no filter`);
  }
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { type GeneralisedCall, generalisedPaths, generalisedTool } from "../../src/policy/candidate.ts";
import type { Json } from "../../src/policy/canonical-json.ts";
import { type CallCover, type CoverableCall, coverInWords, coversCall } from "../../src/policy/cover.ts";
import { invocationOf } from "../../src/policy/tool-rule.ts";
import { law } from "./law.ts";

const TOOLS = ["write_file", "tickets/add"] as const;
const PATHS = [
  "notes:a.md",
  "notes:drafts/a.md",
  "notes:drafts/b.md",
  "notes:drafts/deep/c.md",
  "notes:draftsX/a.md",
  "notes:drafts",
  "other:drafts/a.md",
  "/etc/passwd",
  "notes:drafts/*.md",
  "",
] as const;
const NAMES = ["path", "to", "content", "__proto__", "constructor"] as const;

const value = fc.oneof(
  fc.constantFrom<Json>(...PATHS),
  fc.constantFrom<Json>(null, true, "true", 1, "1", '"1"', " 1", [], "[]"),
  fc.constantFrom<Json>(["notes:drafts/a.md"], { path: "notes:drafts/a.md" }),
);
const inputs: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ path: fc.constantFrom<Json>(...PATHS) }) },
  { weight: 6, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 3 }) },
  { weight: 1, arbitrary: value },
);
const call = fc
  .record({ tool: fc.constantFrom(...TOOLS), version: fc.constantFrom("", "2"), input: inputs })
  .map(
    ({ tool, version, input }): CoverableCall => ({
      ...invocationOf(tool, input, null),
      version,
      line: null,
    }),
  );
const risk = fc.constantFrom("read_only" as const, "write" as const, "destructive" as const, null);

/** The covers that a person may be shown for a call, of every kind. */
function coversOf(
  from: CoverableCall,
  of: typeof risk extends fc.Arbitrary<infer Risk> ? Risk : never,
): readonly CallCover[] {
  const written = from.argument("path");
  const made: readonly GeneralisedCall[] = [
    generalisedTool(from, of, null),
    ...(written === undefined ? [] : [generalisedPaths(from, { path: written }, null)]),
  ];
  const all = made.flatMap((one) => [one.similar(), one.project()]);
  return all.filter((cover) => cover !== null && typeof cover !== "string");
}

/** True if the shown words of a cover speak of a call, told without the product's own comparison. */
function isShown(cover: CallCover, { tool, version, input, line }: CoverableCall): boolean {
  if (cover.of !== "tool" || line !== null || tool !== cover.tool || version !== cover.version) return false;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const given = isObject ? Object.entries(input) : [];
  const limited = Object.entries(cover.args);
  if (
    cover.others === "none" &&
    (!isObject || given.some(([name]) => limited.every(([other]) => other !== name)))
  )
    return false;
  return limited.every(([name, glob]) =>
    given.some(([other, of]) => other === name && expression(glob).test(stated(of))),
  );
}

/** A value as a person reads it: a text has quotes where it would be another value without them. */
function stated(of: Json): string {
  return typeof of === "string" && !/^\s*("1"|1|true|\[\])$/.test(of) ? of : JSON.stringify(of);
}

/** A glob as a regular expression: `*` is any run of characters. */
function expression(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`, "u");
}

type Covers = typeof coversCall;

law(
  "no call of a tool passes outside of a cover that was shown: another tool, version, folder or argument",
  (covers: Covers) =>
    fc.property(call, call, risk, (from, other, of) => {
      for (const cover of coversOf(from, of)) {
        expect(coverInWords(cover)).toContain(from.tool);
        expect(covers(cover, other)).toBe(isShown(cover, other));
      }
    }),
  coversCall,
  {
    "does not look at the tool": (cover, other) =>
      coversCall(cover, cover.of === "tool" ? { ...other, tool: cover.tool } : other),
    "does not look at the version": (cover, other) =>
      coversCall(cover, cover.of === "tool" ? { ...other, version: cover.version } : other),
    "takes the beginning of a folder's name for the folder": (cover, other) =>
      coversCall(
        cover.of === "tool"
          ? {
              ...cover,
              args: Object.fromEntries(
                Object.entries(cover.args).map(([name, glob]) => [name, glob.replace("/*", "*")]),
              ),
            }
          : cover,
        other,
      ),
    "lets further arguments pass": (cover, other) =>
      coversCall(cover.of === "tool" ? { ...cover, others: "free" } : cover, other),
  },
);

law(
  "a cover of a tool's calls covers the very call that it comes from, and a destructive tool has none",
  (covers: Covers) =>
    fc.property(call, risk, (from, of) => {
      for (const cover of coversOf(from, of)) expect(covers(cover, from)).toBe(true);
      const own = generalisedTool(from, of, null);
      if (of === "destructive") expect([own.similar(), typeof own.project()]).toEqual([null, "string"]);
    }),
  coversCall,
  { "covers nothing": () => false },
);

test("a text is told from another value that is written alike, in the shown words as well", () => {
  const of = (value: Json): CoverableCall => ({
    ...invocationOf("deploy", { dry: value }, null),
    version: "",
    line: null,
  });
  const alike: readonly Json[] = [
    "false",
    false,
    '"false"',
    "1",
    1,
    "null",
    null,
    "[]",
    [],
    "{}",
    {},
    "no",
    "",
  ];
  const shown = new Set<string>();
  for (const value of alike) {
    const cover = generalisedTool(of(value), "write", null).project();
    if (typeof cover === "string" || cover === null) throw new TypeError("there is no cover");
    shown.add(coverInWords(cover));
    expect(alike.filter((other) => coversCall(cover, of(other)))).toEqual([value]);
  }
  expect(shown.size).toBe(alike.length);
});

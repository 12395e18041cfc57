import fc from "fast-check";
import { expect, test } from "vitest";
import { lineCandidate } from "../../src/policy/candidate.ts";
import type { CommandLine } from "../../src/policy/command.ts";
import { type CallCover, type CoverableCall, coversCall } from "../../src/policy/cover.ts";
import type { KeptRule } from "../../src/policy/kept-rule.ts";
import { prefixOf } from "../../src/policy/prefixes.ts";
import { recordedLine } from "../../src/policy/recorded-call.ts";
import { answerByRemembered, isAskedByDefault, NOTHING_REMEMBERED } from "../../src/policy/remembered.ts";
import type { RuleHit } from "../../src/policy/rule-hit.ts";
import { invocationOf } from "../../src/policy/tool-rule.ts";
import type { Verdict } from "../../src/policy/verdict.ts";
import { isOpaque, OPAQUE } from "../../src/shell/word.ts";
import { law } from "./law.ts";

const PROGRAMS = [
  "git",
  "npm",
  "ls",
  "cat",
  "find",
  "rm",
  "bash",
  "python3",
  "curl",
  "sudo",
  "env",
  "pytest",
  "sed",
];
const WORDS = [
  "add",
  "push",
  "run",
  "test",
  "-delete",
  "-c",
  "id",
  "a.txt",
  "x",
  "-v",
  "--all",
  "a b",
  "*",
  `${OPAQUE}x`,
];

/** Acts of bash itself, where bash runs the line. */
const OF_BASH = ["cd src", "export CI=1", "set -e", "true", "[ -f x ]", "echo hi", "command -v git", "wait"];
/** Commands of bash that end, run or load something. */
const NOT_HARMLESS = ["kill 1", "command git", "eval id", "exec id", "trap id EXIT", "source x"];
const builtin = fc.constantFrom(...OF_BASH, ...OF_BASH, ...NOT_HARMLESS).map((text) => text.split(" "));
const words = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...PROGRAMS), fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }))
      .map(([program, rest]) => [program, ...rest]),
  },
  { weight: 1, arbitrary: builtin },
);
const programFile = fc.constantFrom("fixed", "fixed", "fixed", "writable", "unsettled");
const touch = fc.constantFrom<CommandLine["touches"][number]>(
  { act: "move", path: "/w" },
  { act: "open", path: "/w/in", mode: "read" },
  { act: "open", path: "/w/out", mode: "write" },
  { act: "open", path: null, mode: "read" },
  { act: "set", name: "X" },
);
const line: fc.Arbitrary<CommandLine> = fc
  .record({
    commands: fc.array(fc.tuple(words, programFile), { minLength: 1, maxLength: 3 }),
    touches: fc.array(touch, { maxLength: 1 }),
    unread: fc.constantFrom<readonly string[]>([], [], [], ["it has a substitution"]),
    shell: fc.constantFrom<readonly string[] | null>(["bash"], null),
  })
  .map(({ commands, touches, unread, shell }) => ({
    commands: commands.map(([all, file]) => ({
      words: all,
      programNames: [all[0] ?? ""],
      programFile: file,
      arePathsInside: () => true,
      gains: null,
    })),
    touches,
    gains: null,
    unread,
    shell,
  }));
const callOf = (of: CommandLine): CoverableCall => ({
  ...invocationOf("shell", {}, null),
  version: "",
  line: of,
});
const how = fc.record({ mayRead: fc.boolean() });

type Candidate = typeof lineCandidate;
type Covers = typeof coversCall;

law(
  "a candidate covers the very call that it comes from",
  (candidate: Candidate) =>
    fc.property(line, how, (given, mayRead) => {
      const call = callOf(given);
      const cover = candidate(call, mayRead);
      if (cover !== null) expect(coversCall(cover, call)).toBe(true);
    }),
  lineCandidate,
  {
    "forgets a command of the line": (call, mayRead) => {
      const cover = lineCandidate(call, mayRead);
      return cover?.of === "commands" && cover.patterns.length > 1
        ? { ...cover, patterns: cover.patterns.slice(1) }
        : cover;
    },
    "cuts what runs its words": ({ line: of }) => ({
      of: "commands",
      patterns: [{ pattern: of?.commands[0]?.words[0] ?? "", exact: false }],
    }),
  },
);

/** True if a line is one that the shown words of a cover speak of, told without the product's own comparison. */
function isShown(cover: CallCover, { commands, touches, unread, shell }: CommandLine): boolean {
  if (cover.of !== "commands" || unread.length > 0) return false;
  if (
    touches.some(
      (one) => one.act !== "set" && (one.path === null || (one.act === "open" && one.mode === "write")),
    )
  )
    return false;
  const isNamed = (all: readonly string[]): boolean =>
    cover.patterns.some(({ pattern, exact }) => {
      const wanted = pattern.split(" ");
      return exact
        ? JSON.stringify(all) === JSON.stringify(wanted)
        : JSON.stringify(all.slice(0, wanted.length)) === JSON.stringify(wanted);
    });
  const isOfBash = (all: readonly string[]): boolean => shell !== null && OF_BASH.includes(all.join(" "));
  return (
    commands.some(({ words: all }) => isNamed(all)) &&
    commands.every(
      ({ words: all, programFile: file }) =>
        isOfBash(all) || (file === "fixed" && !all.some(isOpaque) && isNamed(all)),
    )
  );
}

law(
  "nothing passes outside of the cover that was shown: an unread word, another command, a written file",
  (covers: Covers) =>
    fc.property(line, line, fc.constantFrom(0, 0, 1, 3), how, (given, drawn, further, mayRead) => {
      // Most lines have the commands that the cover comes from, with others after them.
      const own = further === 3 ? [] : given.commands;
      const other = { ...drawn, commands: [...own, ...drawn.commands.slice(0, further)] };
      const cover = lineCandidate(callOf(given), mayRead);
      fc.pre(cover !== null);
      if (covers(cover, callOf(other))) expect(isShown(cover, other)).toBe(true);
    }),
  coversCall,
  {
    "takes one covered command for all": (cover, call) =>
      (call.line?.commands ?? []).some((one) =>
        coversCall(cover, {
          ...call,
          line: { commands: [one], touches: [], gains: null, unread: [], shell: null },
        }),
      ),
    "does not look at what is unread": (cover, call) =>
      coversCall(cover, { ...call, line: call.line === null ? null : { ...call.line, unread: [] } }),
    "does not look at what is written": (cover, call) =>
      coversCall(cover, { ...call, line: call.line === null ? null : { ...call.line, touches: [] } }),
    "takes a program for an act of bash": (cover, call) =>
      coversCall(cover, { ...call, line: call.line === null ? null : { ...call.line, shell: ["bash"] } }),
    "takes any command of bash for a harmless one": (cover, call) =>
      coversCall(cover, {
        ...call,
        line:
          call.line === null
            ? null
            : {
                ...call.line,
                commands: call.line.commands.filter(
                  ({ words: all }) => !NOT_HARMLESS.includes(all.join(" ")),
                ),
              },
      }),
    "does not look at who made the program": (cover, call) =>
      coversCall(cover, {
        ...call,
        line:
          call.line === null
            ? null
            : { ...call.line, commands: call.line.commands.map((one) => ({ ...one, programFile: "fixed" })) },
      }),
  },
);

const lineOf = (text: string): CoverableCall => recordedLine(text);
const coverOf = (text: string): CallCover | null => lineCandidate(lineOf(text), { mayRead: false });
const TESTS: CallCover = { of: "commands", patterns: [{ pattern: "npm test", exact: false }] };

test.each([
  "cd src && npm test",
  "cd src; export CI=1; set -e; npm test -- --watch=false",
  "CI=1 npm test",
  "[ -f package.json ] && npm test || true",
  'for x in a b; do echo "$x"; npm test; done',
  "echo start; npm test 2>&1",
])("`%s` is covered by its program alone, and that is what is offered", (text) => {
  expect(coverOf(text)).toEqual(TESTS);
  expect(coversCall(TESTS, lineOf(text))).toBe(true);
});

test.each([
  "cd src",
  "echo hi; true",
  "cd src && npm test && kill 1",
  "cd src && npm test > out",
  "cd $(x) && npm test",
  'cd src && npm test "$x"',
  "PATH=. npm test",
  "cd src && ./npm test",
  "eval npm test",
  "npm test; id",
  "echo hi",
])("`%s` is not covered by `npm test`", (text) => {
  expect(coversCall(TESTS, lineOf(text))).toBe(false);
});

test("a line of bash's own commands alone is covered by their words", () => {
  expect(coverOf("echo hi; true")).toEqual({
    of: "commands",
    patterns: [
      { pattern: "echo hi", exact: true },
      { pattern: "true", exact: true },
    ],
  });
});

test("words of a reading program are free as long as it only reads", () => {
  const cover = lineCandidate(lineOf("date -R"), { mayRead: true });
  expect(cover).toEqual({ of: "commands", patterns: [{ pattern: "date", exact: false }] });
  const covers = (text: string): boolean => cover !== null && coversCall(cover, lineOf(text));
  expect(["date -u", "date", "date 01010000"].map(covers)).toEqual([true, true, false]);
});

test("arguments are never freed for interpreters, shells, and programs that remove, fetch or run others", () => {
  const never =
    "rm mv cp chmod chown dd ln kill curl wget ssh scp rsync sudo su doas env xargs nohup timeout sh bash zsh dash fish node python python3 perl ruby php deno bun npx uvx awk sed tee git npm docker make kubectl git-push eval".split(
      " ",
    );
  for (const program of never)
    for (const mayRead of [true, false]) {
      expect([program, prefixOf([program], mayRead)]).toEqual([program, null]);
      expect([program, prefixOf([program, "-c", "x"], mayRead)]).toEqual([program, null]);
    }
  expect(prefixOf(["npm", "exec", "x"], true)).toBeNull();
  expect(prefixOf(["git", "-C", "x", "push"], true)).toBeNull();
  expect(prefixOf(["git", "add", "a"], false)).toEqual(["git", "add"]);
  expect(prefixOf(["npm", "run", "lint", "--fix"], false)).toEqual(["npm", "run", "lint"]);
  expect(prefixOf(["cat", "a"], false)).toBeNull();
  expect(prefixOf(["cat", "a"], true)).toEqual(["cat"]);
});

const hit: fc.Arbitrary<RuleHit> = fc.record({
  layer: fc.constantFrom("operator", "project", "agent", "tool", "risk"),
  rule: fc.constantFrom("default", "git push", "unread", "hazard", "script", "write"),
  action: fc.constantFrom("allow", "ask", "deny"),
  reason: fc.constant(null),
});
const verdict: fc.Arbitrary<Verdict> = fc.record({
  action: fc.constantFrom("allow", "ask", "ask", "deny"),
  demandsPerson: fc.boolean(),
  hits: fc.array(hit, { minLength: 1, maxLength: 3 }),
  reason: fc.constant("because"),
});

function ruleFor(cover: CallCover): KeptRule {
  return {
    id: "rule-1",
    cover,
    covers: "",
    agent: null,
    by: "ann",
    at: 0,
    from: [],
    until: null,
    maxUses: null,
    uses: 0,
    lastUsed: null,
    match: [],
    notMatch: [],
    places: "",
    rules: "",
  };
}

type Answer = typeof answerByRemembered;

law(
  "a kept rule changes nothing but an ask of a default into an allow, and never gives an approval's access",
  (answer: Answer) =>
    fc.property(line, verdict, fc.boolean(), (given, judged, isInProject) => {
      const call = callOf(given);
      const cover = lineCandidate(call, { mayRead: true });
      fc.pre(cover !== null);
      const key = () => ({ cacheKey: "k", toolVersion: "", program: null, granted: null });
      const memory = { ...NOTHING_REMEMBERED, kept: [ruleFor(cover)] };
      const after = answer(judged, { key, coverable: call, isInSession: true, isInProject }, memory);
      const isHeard =
        judged.action === "ask" && !judged.demandsPerson && isInProject && isAskedByDefault(judged, call);
      if (!isHeard) expect(after).toEqual(judged);
      else expect([after.action, after.hits.at(-1)?.layer]).toEqual(["allow", "kept"]);
      const isByRule = ({ action, layer, rule }: RuleHit): boolean =>
        action === "ask" && layer !== "risk" && !(layer === "tool" && rule === "default");
      if (judged.hits.some(isByRule)) expect(after.action === "allow").toBe(judged.action === "allow");
    }),
  answerByRemembered,
  {
    "lifts a deny": (given, call, memory) =>
      answerByRemembered(given.action === "deny" ? { ...given, action: "ask" } : given, call, memory),
    "answers for a person": (given, call, memory) =>
      answerByRemembered({ ...given, demandsPerson: false }, call, memory),
    "answers a rule's own ask": (given, call, memory) => {
      const byDefault: RuleHit = { layer: "risk", rule: "write", action: "ask", reason: null };
      return answerByRemembered({ ...given, hits: [byDefault] }, call, memory);
    },
    "is heard where it is switched off": (given, call, memory) =>
      answerByRemembered(given, { ...call, isInProject: true }, memory),
  },
);

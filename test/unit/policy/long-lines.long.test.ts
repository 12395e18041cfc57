import { describe, expect, test } from "vitest";
import { quoted } from "../../../src/shell/quote.ts";
import { LINES, LONGEST_LINE } from "../../support/load/bombs.ts";
import { workMs } from "../../support/load/held-loop.ts";
import { judgeLine, judgeWords } from "../../support/shell/judge-line.ts";

/** For one line. */
const MAX_MS = 2_000;

const MANY_RULES = [
  { pattern: "rm", allowed: false },
  { pattern: "* --danger", allowed: false },
  ...Array.from({ length: 100 }, (_, at) => ({ pattern: `git x${at} -y`, allowed: false })),
  ...Array.from({ length: 100 }, (_, at) => ({ pattern: `prog${at} sub *`, approval: at % 2 === 0 })),
];

describe("with many rules", () => {
  test.each([
    ...LINES,
    ["git, where it may run", (length: number) => `xargs ${"git ".repeat(length / 4)}`],
    ["git behind env", (length: number) => `env a=b ${"git ".repeat(100)}\n`.repeat(length / 408)],
  ] as const)("a line is judged in bounded time, and never let pass for its length: %s", (_, line) => {
    const text = `${line(LONGEST_LINE)}\n$(x)`;
    const work = workMs(() => {
      const { action } = judgeLine(text, {
        rules: MANY_RULES,
        operator: [{ shell: "shred", action: "deny" }],
        default: { allowed: true, approval: false },
      });
      expect(action).not.toBe("allow");
    });
    expect(work).toBeLessThan(MAX_MS);
  });

  test("words are judged in bounded time, however many and long they are", () => {
    for (const program of ["env", "bash", "find", "git", "sed", "awk", "xargs"])
      for (const word of ["$(", "{", "bash -c 'a b' ", "s/a/b/", ",a/", '"'].map((unit) =>
        unit.repeat(20_000),
      )) {
        const words = [program, "-c", ...Array.from({ length: 15 }, () => word)];
        expect(workMs(() => judgeWords(words, { rules: MANY_RULES }))).toBeLessThan(MAX_MS);
      }
  });
});

describe("a line within a line", () => {
  const rules = [
    { pattern: "bash -c", approval: false },
    { pattern: "rm", allowed: false },
  ];
  const within = (line: string, levels: number): string =>
    levels === 0 ? line : within(quoted(["bash", "-c", line]), levels - 1);

  test("is let pass by the shell's name only where all of it is read", () => {
    expect(judgeLine(within("ls a", 3), { rules }).action).toBe("allow");
    expect(judgeLine(within("rm a", 3), { rules }).action).toBe("deny");
    expect(judgeLine(within("ls a", 8), { rules }).action).toBe("allow");
    for (const inner of ["ls a", "rm a"]) expect(judgeLine(within(inner, 9), { rules }).action).toBe("ask");
  });

  test("that is too long to be taken apart asks, and what it names is denied", () => {
    const long = (line: string): readonly string[] => ["bash", "-c", `${"ls a\n".repeat(7_000)}${line}`];
    expect(judgeWords(["bash", "-c", `${"ls a\n".repeat(700)}ls b`], { rules }).action).toBe("allow");
    expect(judgeWords(long("ls b"), { rules }).action).toBe("ask");
    expect(judgeWords(long("r''m b"), { rules }).action).toBe("deny");
  });
});

test("a script of sed is plain up to a length", () => {
  const rules = [{ pattern: "sed", approval: false }];
  const sed = (length: number): string => `sed s/${"a".repeat(length - 4)}// f`;
  expect(judgeLine(sed(1_000), { rules }).action).toBe("allow");
  expect(judgeLine(sed(1_001), { rules }).action).toBe("ask");
});

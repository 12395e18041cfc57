import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CofferdamError,
  ERRORS,
  escapeInvisible,
  printPosition,
  visible,
  withPosition,
} from "../../src/errors.ts";

const HERE = { file: "cofferdam.yaml", line: 3, column: 7 };

describe("CofferdamError", () => {
  it("carries code, message, hint, cause and position", () => {
    const cause = new Error("EACCES");
    const {
      name,
      code,
      message,
      hint,
      at,
      cause: kept,
    } = new CofferdamError("DENIED", "no", { hint: "ask", cause, at: HERE });
    expect({ name, code, message, hint, at, kept }).toEqual({
      name: "CofferdamError",
      code: "DENIED",
      message: "no",
      hint: "ask",
      at: HERE,
      kept: cause,
    });
  });

  it("has no cause of its own when none is given", () => {
    const bare = new CofferdamError("USAGE", "no");
    expect(["cause" in bare, bare.hint, bare.at]).toEqual([false, undefined, undefined]);
  });

  it("is told where it stands once: the first position stays", () => {
    const first = withPosition(new CofferdamError("DENIED", "no", { hint: "ask", cause: 7 }), HERE);
    const again = withPosition(first, { ...HERE, line: 9 });
    expect([again.code, again.message, again.hint, again.at, again.cause]).toEqual([
      "DENIED",
      "no",
      "ask",
      HERE,
      7,
    ]);
    expect(printPosition(HERE)).toBe("cofferdam.yaml:3:7");
  });

  it("has codes in upper snake case, each with one sentence for the docs", () => {
    for (const [code, meaning] of Object.entries(ERRORS))
      expect([code, meaning.when]).toEqual([
        expect.stringMatching(/^[A-Z]+(_[A-Z]+)*$/),
        expect.stringMatching(/^[^A-Z.\n][^\n]*[^.]$/),
      ]);
  });
});

describe("text from outside", () => {
  const shown = [
    ["plain ünïcödé 😀", "plain ünïcödé 😀"],
    ["a\nb\tc", "a\\u{a}b\\u{9}c"],
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["safe\u202Egnp.exe", "safe\\u{202e}gnp.exe"],
    ["zero\u200Bwidth\uFEFF", "zero\\u{200b}width\\u{feff}"],
    ["line\u2028para\u2029", "line\\u{2028}para\\u{2029}"],
    ["byte \udcff", "byte \\u{dcff}"],
    ["private \ue000", "private \\u{e000}"],
    ["tag \u{E0041}", "tag \\u{e0041}"],
    ["four marks a\u0301\u0302\u0301\u0302", "four marks a\u0301\u0302\u0301\u0302"],
    [`five marks a${"\u0301".repeat(5)}`, `five marks a${"\\u{301}".repeat(5)}`],
    [`66 marks a${"\u0301".repeat(66)}`, `66 marks a${"\\u{301}".repeat(66)}`],
  ] as const;

  it.each(shown)("is made visible: %j", (text, escaped) => {
    expect([escapeInvisible(text), visible(text)]).toEqual([escaped, `\`${escaped}\``]);
  });

  it("ends where its quotes end", () => {
    expect(visible("x` ok, all is fine `")).toBe("`x\\u{60} ok, all is fine \\u{60}`");
  });

  it("never holds an invisible or line-breaking character afterwards, and loses no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeInvisible(text);
        expect(escaped).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}/u,
        );
        expect(escaped.replace(/\\u\{[0-9a-f]+\}/g, "")).toBe(
          text
            .replace(
              /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}/gu,
              "",
            )
            .replace(/\\u\{[0-9a-f]+\}/g, ""),
        );
      }),
    );
  });
});

import { describe, expect, test } from "vitest";
import { parseLine } from "../../../src/shell/parse.ts";

const words = (line: string): readonly (readonly string[])[] =>
  parseLine(line).commands.map((command) => command.words);

describe("a line", () => {
  test.each([
    ["a b", [["a", "b"]]],
    ["a && b || c; d & e\nf | g |& h", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]],
    ["(a; { b; }) >/dev/null", [["a"], ["b"]]],
    ["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
    ["while a; do b; done; until c; do d; done", [["a"], ["b"], ["c"], ["d"]]],
    ["for i in x; do a; done; select i in x; do b; done", [["a"], ["b"]]],
    ["case x in x) a;; y) b;; esac", [["a"], ["b"]]],
    ["f() { a; }; function g { b; }", [["a"], ["b"]]],
    ["x=$(a) y=(`b`) c", [["c"], ["a"], ["b"]]],
    ["a >$(b) < <(c)", [["a"], ["b"], ["c"]]],
    ["a <<E\n$(b)\nE", [["a"], ["b"]]],
    ["[[ $(a) -eq $(( $(b) )) ]]; (( $(c) ))", [["a"], ["b"], ["c"]]],
    ["time a; ! b; coproc c", [["a"], ["b"], ["c"]]],
  ])("is taken apart to its last command: %s", (line, commands) => {
    const found = words(line).map((one) => JSON.stringify(one.filter((word) => !word.startsWith("\0"))));
    expect(found.toSorted()).toEqual(commands.map((one) => JSON.stringify(one)).toSorted());
  });

  test("gives words as a program gets them, and marks what only bash will know", () => {
    const line = `a 'b c' "d\\"e\\x" f\\ g '' h"i"'j' * src/*.ts $x ~ k~1 l=~/m "~" $'n\\n'`;
    expect(words(line)).toEqual([
      [...["a", "b c", 'd"e\\x', "f g", "", "hij", "\0", "\0src/", "\0", "\0", "k~1", "\0", "~", "n\n"]],
    ]);
  });

  test("that goes on behind anything but a blank is read both ways, and not understood", () => {
    const torn = "a word or an operator may continue in the next line";
    for (const line of ["1\\\n2>x rm", "$\\\n0", "a &\\\n>x b", "a\\\\\\\nb"])
      expect([line, parseLine(line).unread.includes(torn), parseLine(line).plain]).toEqual([
        line,
        true,
        null,
      ]);
    expect(words("1\\\n2>/dev/null rm v")).toEqual([
      ["12", "rm", "v"],
      ["rm", "v"],
    ]);
    for (const line of ["a \\\n b", "\\\na", "a \\\n\\\n b", "a\\\\\nb"])
      expect([line, parseLine(line).unread]).toEqual([line, []]);
  });

  test("that ends in a backslash is read with it and without, and not understood", () => {
    for (const line of ["rm\\", ": '\n'; rm\\", "rm \\"]) {
      const { unread, commands, plain } = parseLine(line);
      expect([line, unread.length > 0, plain]).toEqual([line, true, null]);
      expect(commands.map((one) => one.words[0])).toContain("rm");
    }
    expect(parseLine("rm \\\\").unread).toEqual([]);
    expect(parseLine("rm\\").unread).toContain("two parsers disagree about it");
  });

  test("with braces that may make several words of one is not understood, whatever stands between them", () => {
    for (const word of ["''{},-x}", "a{b}c,d}", "{x'{'},..}", "x{},\\{}", "{a}..b}", "{a,'b'}", "{a,$b}"])
      expect([word, parseLine(`echo ${word}`).unread.length > 0]).toEqual([word, true]);
    for (const word of ["{a,b}", "{1..3}", "{}", "a{b}c", "x,y", "'{},x}'", "{x", "HEAD@{1}..x"])
      expect([word, parseLine(`echo ${word}`).unread]).toEqual([word, []]);
  });

  test("that begins with two parentheses may be arithmetic, wherever it stands", () => {
    for (const line of ["((a) )", "! ((a) | b)", "{ (((a); b); c); }", "x && ((a)\n)"])
      expect([line, parseLine(line).unread]).toEqual([line, [expect.stringContaining("arithmetic")]]);
    for (const line of ["( (a) )", "(a; (b))", "(a) | (b)"])
      expect([line, parseLine(line).unread]).toEqual([line, []]);
  });

  test("whose command begins like an option can't be parsed: `time` may be a program", () => {
    expect(parseLine("time -f '' rm x").unread).toEqual(["the name of a command begins with `-`"]);
    expect(parseLine("time -p rm x").unread).toEqual([]);
  });

  test("in which `printf` counts into a variable is not understood", () => {
    for (const format of ["%n", "%ln", "%-5.*lln", "x%d%+n"])
      expect([format, parseLine(`printf '${format}' PATH`).unread.length]).toEqual([format, 1]);
    expect(parseLine("printf '%s\\n' n").unread).toEqual([]);
  });

  test("needs no shell only when it is one program with plain words", () => {
    expect(parseLine(" git 'a b' # why\n").plain).toEqual(["git", "a b"]);
    const others = [
      "a; b",
      "a >/dev/null",
      "a &",
      "! a",
      "x=1 a",
      "a *",
      "a ~",
      "cd x",
      "[ a ]",
      "{ a; }",
      "a\nb",
      "",
    ];
    for (const line of [
      ...others,
      "a >b",
      "a $x",
      "a $(b)",
      "a \"$(cat <<'E'\nb\nE\n)\"",
      "'if' x",
      "exec a",
      "echo a",
      "time a",
    ])
      expect([line, parseLine(line).plain]).toEqual([line, null]);
  });

  test("is not understood where a word before a redirect may be its variable, whose index bash calculates", () => {
    const names = [
      "{a['$(x)']}",
      '{a["b"]}',
      "{a[\\$(x)]}",
      "{a\\\n['$(x)']}",
      "\\\n{a['$(x)']}",
      "{_b2['`x`']}",
    ];
    for (const name of names)
      for (const redirect of [">/dev/null", "</dev/null", ">&2", "<&-", "<<<x"])
        expect([name, parseLine(`echo ${name}${redirect}`).unread.length > 0]).toEqual([name, true]);
    // What begins otherwise is a word.
    for (const word of ["x{a['b']}", "'{a[b]}'", "{}", "a{}"])
      expect([word, parseLine(`echo ${word} >/dev/null`).unread]).toEqual([word, []]);
  });

  test("is not understood where digits or a name before a redirect may be no descriptor", () => {
    for (const redirect of [">/dev/null", "</dev/null", ">&2", "<&-", "<<<x", "<<E\nE"]) {
      for (const before of ["{fd}", "1000000000", "2147483648"])
        expect([before, redirect, parseLine(`a ${before}${redirect}`).unread.length > 0]).toEqual([
          before,
          redirect,
          true,
        ]);
      for (const before of ["", "2", "9", "999999999"])
        expect([before, redirect, parseLine(`a ${before}${redirect}`).unread]).toEqual([
          before,
          redirect,
          [],
        ]);
    }
  });

  test("is not understood where two readers may see the end of a here-document in two places", () => {
    for (const line of ["a <<E\nx", "a <<'E F'\nx\nE F", "a <<E-F\nx\nE-F", "a <<\\E\nx\nE", "a <<E\n\\t\nE"])
      expect([line, parseLine(line).unread.length > 0]).toEqual([line, true]);
    for (const line of ["a <<E\nx\nE", "a <<'E'\n\\t\nE", 'a <<"E"\n$x\nE'])
      expect([line, parseLine(line).unread]).toEqual([line, []]);
  });

  test("says what in it is not understood, inner things first", () => {
    const why = (line: string): string | undefined => parseLine(line).unread[0];
    expect(why("a `b`")).toBe("it has a substitution");
    expect(why("a ${!b}")).toBe("it calculates with a variable");
    expect(why("a >&b")).toBe("it redirects to a file or a descriptor");
    expect(why("b=c a")).toBe("it sets `b`, which bash or a program may obey");
    expect(why("eval a")).toBe("it uses `eval`, a keyword or builtin of bash");
    expect(why("a $((b))")).toBe("it has arithmetic");
    expect(why("a 'b")).toBe("it can't be parsed");
    expect(why("a\u200b")).toBe("it has invisible characters");
    expect(why("a && b")).toBeUndefined();
  });
});

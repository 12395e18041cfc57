import fc from "fast-check";
import { quote } from "shell-quote";
import { describe, expect, test } from "vitest";
import { answerByMode, type Verdict } from "../../../src/policy/verdict.ts";
import { isAlsoProgram, isHarmlessBuiltin } from "../../../src/shell/builtins.ts";
import { parseLine } from "../../../src/shell/parse.ts";
import { workMs } from "../../support/load/held-loop.ts";
import { linesFrom } from "../../support/shell/generate-line.ts";
import { judgeLine, judgeWords, type LineRules } from "../../support/shell/judge-line.ts";

const RANK = { allow: 0, ask: 1, deny: 2 } as const;
const lets = (...patterns: readonly string[]) =>
  patterns.map((pattern) => ({ pattern, approval: false }) as const);
const denies = (...patterns: readonly string[]) =>
  patterns.map((pattern) => ({ pattern, allowed: false }) as const);
const action = (line: string, given: LineRules): Verdict["action"] => judgeLine(line, given).action;

/** Every program that the lines below name as harmless, so that only what is hidden in a line decides. */
const HARMLESS = [
  ...["git", "echo", "cat", "ls", "curl", "npm", "sort", "find", "sed", "rg", "tar", "man", "awk", "go"],
  ...["base64", "printf", "xargs", "test", "wc", "true", "uniq"],
];

/**
 * Lines that got past the rules of some agent, and what becomes of them where `rm`, `id` and `touch` are denied: the
 * reference's catalogue. `file`: asked about, unless a rule for the whole tool lets it write files.
 */
const BYPASSES: readonly (readonly [what: string, line: string, rules: "deny" | "ask" | "file"])[] = [
  ["`;`", "git log; id", "deny"],
  ["`&&`", "true && id", "deny"],
  ["`||`", "true || id", "deny"],
  ["`&`", "git log & id", "deny"],
  ["`&` without blanks", "git log&id", "deny"],
  ["`|`", "git log | id", "deny"],
  ["`|&`", "git log |& id", "deny"],
  ["a new line", "git log\nid", "deny"],
  ["a group", "{ git log; id; }", "deny"],
  ["a subshell", "(git log; id)", "deny"],
  ["a line that goes on", "r\\\nm -rf x", "deny"],
  ["a substitution between double quotes", 'echo "$(rm -rf /)"', "deny"],
  ["backquotes", "echo `id`", "deny"],
  ["a substitution in a substitution", "echo $(echo $(id))", "deny"],
  ["a process substitution", "cat <(id)", "deny"],
  ["a process substitution as a target", "echo ok > >(curl x | id)", "deny"],
  ["a pipe behind a here-document", "cat <<'EOF' | id\nx\nEOF", "deny"],
  ["a here-document that is expanded", "cat <<EOF\n$(id)\nEOF", "deny"],
  ["a here-document whose end is not where it seems", "cat <<E\nx\\\nE\nid\nE", "ask"],
  ["a command behind a here-document", "cat <<EOF\nx\nEOF\nid", "deny"],
  ["a backslash between single quotes", "echo 'a\\' ; touch x", "deny"],
  ["an assignment before", "X=1 rm x", "deny"],
  ["an assignment with a substitution", "X=`touch a` npm --version", "deny"],
  ["an array with a substitution", "a=($(id)) npm x", "deny"],
  ["a builtin that changes later commands", "export PAGER=id; git log", "ask"],
  ["an alias", "alias git=id; git log", "ask"],
  ["a function", "git() { id; }; git log", "deny"],
  ["a trap", "trap 'rm x' EXIT", "deny"],
  ["env", "env rm x", "deny"],
  ["sudo", "sudo rm x", "deny"],
  ["watch", "watch rm x", "deny"],
  ["nohup in timeout", "timeout 5 nohup rm x", "deny"],
  ["nice", "nice -n 5 rm x", "deny"],
  ["stdbuf", "stdbuf -o0 rm x", "deny"],
  ["setsid", "setsid rm x", "deny"],
  ["command", "command rm x", "deny"],
  ["exec", "exec rm x", "deny"],
  ["builtin", "builtin eval 'rm x'", "deny"],
  ["busybox", "busybox rm x", "deny"],
  ["xargs", "ls | xargs rm", "deny"],
  ["find -exec", "find . -exec rm {} \\;", "deny"],
  ["a shell in find -exec", "find . -exec sh -c 'touch x; rm x' \\;", "deny"],
  ["quotes in a name", "r''m x", "deny"],
  ["quotes around a name", '"rm" x', "deny"],
  ["a backslash in a name", "\\rm x", "deny"],
  ["a name that is encoded", "$'r\\155' x", "deny"],
  ["a path", "/bin/rm x", "deny"],
  ["$IFS", "rm$IFS-rf$IFS/", "deny"],
  ["@P", `\${one="$"}\${two="(id)"}\${two@P}`, "ask"],
  ["braces", "{rm,-rf,x}", "deny"],
  ["a pattern in a name", "/bin/r?", "ask"],
  ["a variable as a name", "$X -rf x", "ask"],
  ["a variable before a name", "$SUDO rm x", "deny"],
  ["a home folder in a name", "~/rm", "deny"],
  ["arithmetic", "echo $[ x='a[$(touch F)]', x ]", "ask"],
  ["arithmetic with a substitution", "echo $(( $(id) ))", "deny"],
  ["a test that calculates", "[[ 'a[$(id)]' -eq 0 ]]", "ask"],
  ["printf -v", "printf -v 'a[$(id)]' x", "ask"],
  ["test -v", "test -v 'a[$(id)]'", "ask"],
  ["read", "read 'a[$(id)]'", "ask"],
  ["sed e", "sed 's/x/id/e' f", "ask"],
  ["sed w", "sed -n 'w out' f", "ask"],
  ["sed -i", "sed -i s/a/b/ f", "file"],
  ["find -delete", "find . -delete", "file"],
  ["git -c", "git -c core.pager=id log", "ask"],
  ["git --upload-pack", "git ls-remote --upload-pack=id x", "ask"],
  ["git --output", "git log --output=x", "file"],
  ["git grep -O", "git grep -Oid x", "ask"],
  ["sort --compress-program", "sort --compress-program=id f", "ask"],
  ["a long option cut short", "sort --compress-prog=id f", "ask"],
  ["sort -o", "sort -uo x f", "file"],
  ["man --html", "man --html=id x", "ask"],
  ["man -P", "man -P id x", "ask"],
  ["rg --pre", "rg --pre id x", "ask"],
  ["tar --checkpoint-action", "tar tf x --checkpoint-action=exec=id", "ask"],
  ["tar --to-command", "tar xf x --to-command=id", "ask"],
  ["tar -I", "tar -I id -tf x", "ask"],
  ["awk system()", "awk 'BEGIN{system(\"id\")}'", "ask"],
  ["awk >", "awk '{print > \"x\"}' f", "ask"],
  ["go -exec", "go test -exec id ./...", "ask"],
  ["base64 -o", "base64 -o x f", "file"],
  ["uniq with an output", "uniq a b", "file"],
  ["a file named like an option", "find *", "ask"],
  ["{fd}>", "echo x {fd}>f", "ask"],
  [">& a file", "echo x >&f", "ask"],
  ["a socket", "cat </dev/tcp/127.0.0.1/80", "ask"],
  ["eval", "eval 'rm x'", "deny"],
  ["eval of pieces", "eval 'r''m' x", "deny"],
  ["sh -c", "sh -c 'git log; rm x'", "deny"],
  ["sh -c in sh -c", `bash -c "sh -c 'rm x'"`, "deny"],
  ["what is decoded into a shell", "base64 -d f | sh", "ask"],
  ["a no-break space", "git\u00a0log", "ask"],
  ["a zero width space", "git log \u200b", "ask"],
  ["a carriage return", "git log\rid", "ask"],
  ["a bidi override", "git log \u202eid", "ask"],
  ["a parser that loses the end of a word", "cat <<< <(ls)cat rm -rf x", "deny"],
  ["a parser that takes a substitution for text", "git log 2>(id)>/dev/null", "deny"],
  ["arithmetic that does not end", 'git log "$[[ " id', "ask"],
  ["a condition", "if true; then rm x; fi", "deny"],
  ["a loop", "for i in x; do rm $i; done", "deny"],
  ["a case", "case x in x) id;; esac", "deny"],
  ["a coprocess", "coproc id", "deny"],
  ["a keyword", "time -p id", "deny"],
  ["!", "! id", "deny"],
  ["a word that is not closed", "git log 'x", "ask"],
  ["a word that is not closed, and more", "id; git log 'x", "deny"],
  ["the 60th command", `${"git log; ".repeat(60)}id`, "deny"],
  ["the end of a long line", `${"git log; ".repeat(5_000)}id`, "deny"],
  ["the end of a long word", `echo ${"x".repeat(100_000)}; r''m x`, "deny"],
];

describe("a way around rules that worked elsewhere", () => {
  test.each(BYPASSES)("is not let pass: %s", (_what, line, told) => {
    const expected = told === "deny" ? "deny" : "ask";
    expect(action(line, { rules: lets(...HARMLESS) })).toBe("ask");
    expect(action(line, { rules: lets(...HARMLESS), default: { allowed: false, approval: false } })).toBe(
      "deny",
    );
    const denying = [...denies("rm", "id", "touch"), ...lets(...HARMLESS)];
    expect(action(line, { rules: denying })).toBe(expected);
    expect(action(line, { rules: denying, isToolAllowed: true })).toBe(told === "file" ? "allow" : expected);
    expect(action(line, { rules: denying, default: { allowed: true, approval: false } })).toBe(expected);
  });

  test.each([
    "git log",
    "git log; ls",
    "git log\nls\n",
    "{ git log; ls; }",
    "(git log; ls) | wc -l",
    "echo 'a; rm x'",
    "echo 'a\\' 'b'",
    "cat <<'EOF' | wc\n$(rm x)\nEOF",
    "cat <<EOF\nrm x\nEOF",
    "cat <<< 'rm x'",
    "g''it log",
    "git \\\n  log",
    "git log >/dev/null 2>&1",
    "! git log && time ls & ls",
    "ls src/*.ts",
    "git diff HEAD~1 HEAD@{1}",
    'echo "it\'s $" # rm x',
    "sed -n 's/a/b/gp' f",
    "sed -n 1,5p f",
    "find . -name '*.ts'",
    "tar tf x.tar",
    "awk '{print $1}' f",
    "sort -k2 f | uniq -c",
    "go test ./...",
    'git commit -m "fix #12 (x)"',
    // The sandbox holds the files that bash opens, and the folders that it changes to.
    "echo x >>~/.bashrc",
    "echo x >|f",
    "echo x &>f",
    "cd src && git log",
  ])("while its twin is: %s", (line) => {
    expect(action(line, { rules: lets(...HARMLESS) })).toBe("allow");
    expect(
      action(line, {
        rules: [...lets(...HARMLESS), ...denies("rm", "id", "touch")].filter(
          ({ pattern }) => pattern !== "awk",
        ),
      }),
    ).toBe(line.startsWith("awk") ? "ask" : "allow");
  });
});

describe("the words of a line", () => {
  test("of any one command are the same after quoting and parsing, or nobody is sure of them", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 }), (words) => {
        fc.pre(words.every((word) => !word.includes("\0")) && words[0] !== "");
        const { commands, unread } = parseLine(quote(words));
        if (unread.length === 0) expect(commands.map((one) => one.words)).toEqual([words]);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ -~]{0,12}$/), { minLength: 1, maxLength: 5 }), (rest) => {
        const words = ["prog", ...rest];
        const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
        expect(parseLine(line).commands.map((one) => one.words)).toEqual([words]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the verdict on a line", () => {
  const arbRule = fc.record({
    pattern: fc.constantFrom(
      "aa",
      "bb",
      "gg ok",
      "gg",
      "dd x",
      "rm",
      "echo",
      "*",
      "zz",
      "bash",
      "time",
      "aa x",
    ),
    allowed: fc.boolean(),
    approval: fc.boolean(),
    exact: fc.boolean(),
  });
  const arbLine = fc.nat({ max: 1_000_000 }).map((seed): string => {
    for (const line of linesFrom(seed)) return line;
    return "";
  });
  const arbDefault = fc.record({ allowed: fc.boolean(), approval: fc.boolean() });

  test("is at least as strict as that on each of its commands", () => {
    fc.assert(
      fc.property(arbLine, fc.array(arbRule, { maxLength: 5 }), arbDefault, (line, rules, otherwise) => {
        const given = { rules, default: otherwise };
        const whole = RANK[action(line, given)];
        const programs = parseLine(line).commands.filter(
          // bash's own acts need no rule; as a program a word may be anything.
          ({ words }) => !isHarmlessBuiltin(words) || isAlsoProgram(words[0]),
        );
        for (const { words } of programs)
          expect(whole).toBeGreaterThanOrEqual(RANK[judgeWords(words, given).action]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is loosened by no stricter rule more, where the strictest rule decides", () => {
    fc.assert(
      fc.property(
        arbLine,
        fc.array(arbRule, { maxLength: 4 }),
        arbRule,
        arbDefault,
        (line, rules, rule, otherwise) => {
          const given = { rules, order: "strictest", default: otherwise } as const;
          const before = action(line, given);
          const added = rule.allowed && !rule.approval ? "allow" : rule.allowed ? "ask" : "deny";
          fc.pre(RANK[added] >= RANK[before]);
          const after = action(line, { ...given, rules: [...rules, rule] });
          expect(RANK[after]).toBeGreaterThanOrEqual(RANK[before]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("is an allow only where all of it is understood, if its rules must be sure", () => {
    fc.assert(
      fc.property(arbLine, fc.array(arbRule, { maxLength: 4 }), fc.boolean(), (line, given, approval) => {
        fc.pre(parseLine(line).unread.length > 0);
        const rules = approval ? given : [...given, { pattern: "unused-name", doubt: "ask" }];
        expect(action(line, { rules, default: { allowed: true, approval } })).not.toBe("allow");
      }),
      { numRuns: 2_000 },
    );
  });

  test("names every rule that spoke, and of which command", () => {
    const { hits, reason } = judgeLine("git status; git push; ls", {
      rules: [...lets("git status"), ...denies("git push")],
    });
    expect(reason).toBe("`git push`: blocked by rule `git push` of `shell.rules`");
    expect(hits.map(({ rule, action: said }) => [rule, said])).toEqual([
      ["git push", "deny"],
      ["git status", "allow"],
      ["default", "ask"],
    ]);
  });

  test("of the first rule that covers a command decides about that command (S1-18, S1-19, S1-22)", () => {
    const rules = [...lets("git status"), { pattern: "git", allowed: true }, ...denies("git status", "rm")];
    expect(action("git status --short | git status", { rules })).toBe("allow");
    expect(action("git status | git log", { rules })).toBe("ask");
    expect(judgeLine("git status && rm x", { rules })).toMatchObject({
      action: "deny",
      reason: "`rm x`: blocked by rule `rm` of `shell.rules`",
    });
    const closed = { rules, default: { allowed: false, approval: true } };
    expect([action("git status; ls", closed), action("git status; git status -s", closed)]).toEqual([
      "deny",
      "allow",
    ]);
  });

  test("goes by prefixes of words, in every command of it (S1-44)", () => {
    const given = { rules: lets("git status") };
    expect(action("git status --short && git 'status' -b", given)).toBe("allow");
    expect(action("git status && git statusx", given)).toBe("ask");
  });
});

describe("an operator's rule for command lines", () => {
  const given = {
    rules: lets("*"),
    operator: [{ shell: "git push", action: "deny" } as const],
  };

  test("denies a line with the command anywhere in it", () => {
    for (const line of ["true && git push", "x $(git -C . push)", "git push", "if x; then git push; fi"])
      expect(action(line, given)).toBe("deny");
    expect(action("true && git status", given)).toBe("allow");
  });

  test("asks about what is not understood, and nobody but a person answers", () => {
    const verdict = judgeLine("for i in x; do make $i; done", given);
    expect(verdict).toMatchObject({ action: "ask", demandsPerson: true });
    expect(answerByMode(verdict, "approve_all", false).action).toBe("ask");
    expect(answerByMode(verdict, "strict", false).action).toBe("deny");
    expect(action("make x; make y", given)).toBe("allow");
  });

  test("that is about every command is about every line", () => {
    const operator = [{ shell: "*", action: "deny" } as const];
    for (const line of ["ls", "ls; ls", "[[ a ]]", "$X", "ls 'x", "# nothing"])
      expect(action(line, { rules: lets("*"), operator })).toBe("deny");
  });

  test("that is about the shell is about every line that it runs", () => {
    for (const denied of ["bash", "/bin/bash", "bash -c"]) {
      const operator = [{ shell: denied, action: "deny" } as const];
      expect(action("true && make", { rules: lets("*"), operator })).toBe("deny");
      expect(action("make all", { rules: lets("*"), operator })).toBe("allow");
    }
    expect(action("true && make", { rules: [...lets("make", "true"), ...denies("bash")] })).toBe("deny");
  });
});

describe("a word that makes more of a command than its name says", () => {
  test("is let pass by an exact rule alone, and told by its name", () => {
    const line = "find . -delete";
    expect(judgeLine(line, { rules: lets("find") })).toMatchObject({
      action: "ask",
      reason: "`-delete` may write or remove files, which needs an `exact` rule",
    });
    expect(action(line, { rules: lets("find . -delete") })).toBe("ask");
    expect(action(line, { rules: [{ pattern: line, approval: false, exact: true }] })).toBe("allow");
    expect(judgeWords(["find", ".", "-delete"], { rules: lets("find") }).action).toBe("ask");
    expect(judgeWords(["find", ".", "-name", "x"], { rules: lets("find") }).action).toBe("allow");
  });

  test("is not let pass by a default where any rule denies, if it runs a program", () => {
    const free = { default: { allowed: true, approval: false } };
    expect(action("rg --pre rm x", free)).toBe("allow");
    expect(action("rg --pre rm x", { ...free, rules: denies("rm") })).toBe("ask");
    expect(action("rg -n rm x", { ...free, rules: denies("rm") })).toBe("allow");
  });
});

test("a word that only bash will know hides nothing from a rule that denies", () => {
  const rules = [...denies("git push"), ...lets("git", "cat")];
  expect(action("git p*", { rules })).toBe("ask");
  expect(action("git log p*", { rules })).toBe("allow");
  expect(action("git -C . p*", { rules })).toBe("ask");
  expect(action("cat p*", { rules })).toBe("allow");
});

test("a usual line is judged in well under a millisecond", () => {
  const rules = [...lets("git status", "git log", "ls", "grep"), ...denies("rm", "git push")];
  const line = "git status --short && ls -la src | grep -v 'x y' >/dev/null";
  expect(action(line, { rules })).toBe("allow");
  const work = workMs(() => {
    for (let at = 0; at < 200; at += 1) action(line, { rules });
  });
  expect(work / 200).toBeLessThan(2);
});

test("a line made to be slow is judged in bounded time, and what is denied in it is found", () => {
  const rules = [...denies("rm"), ...Array.from({ length: 20 }, (_, at) => denies(`git x${at} -y`)).flat()];
  const git = "git ".repeat(120);
  const lines = [
    Array.from({ length: 20_000 }, (_, at) => `a${at}`).join(";"),
    Array.from({ length: 250 }, (_, at) => `env a${at} ${git}`).join(";"),
    `xargs ${"git ".repeat(30_000)}`,
    "eval 'a;b';".repeat(10_000),
  ];
  for (const line of lines) expect(action(`${line}\nr''m x`, { rules })).toBe("deny");
});

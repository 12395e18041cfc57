import { hazardTable } from "../../../src/shell/hazards.ts";
import { parseLine } from "../../../src/shell/parse.ts";
import type { ShellTouch } from "../../../src/shell/touch.ts";
import { unreadTable } from "../../../src/shell/unread.ts";
import { code, page, table } from "./markdown.ts";

/** Lines of each kind, which the parser judges for the page. */
const LINES = [
  "git status --short",
  "git add . && git commit -m 'done'",
  "cat a | sort | uniq",
  "(cd src; ls)",
  "ls *.md",
  "make 2>&1",
  "make >/dev/null",
  "cat <<'END'\ntext\nEND",
  "make > log.txt",
  "cd src && make",
  "echo $HOME",
  "echo $(date)",
  "CI=1 npm test",
  "PATH=. make",
  "for f in *; do rm $f; done",
  "COUNT=$(ls | wc -l); echo $COUNT",
  '[ -f "$x" ] && cat "$x"',
  "[ -f $x ]",
  "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
  "echo $((x+1))",
  "git commit -m \"$(cat <<'END'\ntext\nEND\n)\"",
  "diff <(ls a) <(ls b)",
  "$x --version",
  'eval "$COMMAND"',
  "build() { make; }; build",
  "echo 'open",
];

/** The page about rules on command lines. */
export function shellPage(): string {
  const { always, byOption } = unreadTable();
  return page(
    "Shell rules",
    "How `shell.rules` of the config and `approval.rules` of operator profiles are compared with a command line. [cofferdam.yaml](config.md#shell) lists the keys of a rule.",
    "## Patterns",
    "A pattern is a prefix of the words that a program gets, without quotes. `git status` covers `git status --short`. In a word, `*` is any run of characters. With `exact: true` a rule covers no longer command.",
    table(
      ["a rule that …", "covers"],
      [
        [
          "runs without asking (`approval: false`)",
          "the program as the pattern writes it, if the call cannot have written the program. With `sandbox_paths`, only if the folder it starts in and every path among its words lie in those roots",
        ],
        [
          "asks or denies (`approval: true`, `allowed: false`)",
          "the program under every name and link that leads to it, also behind options: `git push` covers `git -C sub push`. Letters of an option count in any order: `rm -rf` covers `rm -r -f`. If they may be written in another way (`rm -R --force`, `git push -uf` for `git push -f`), the call asks. With `|` the pattern names several commands that occur in one line: `curl | *sh`",
        ],
      ],
    ),
    "If several rules cover a command, `shell.order` decides. A program with several names is read under each; the strictest result counts. The strictest result of all commands is that of the line.",
    "## Lines",
    "A line is understood if every program that bash itself starts is known. It is denied if a denied command stands in it. If it is not understood, it asks if the default asks, or if a rule with `doubt: ask` denies or asks about anything. Files that bash opens and folders that it enters are judged like paths.",
    table(
      ["line", "understood", "what bash itself does"],
      LINES.map((line) => {
        const { touches, unread } = parseLine(line);
        return [
          line.split("\n").map(code).join(" "),
          unread.length === 0 ? "yes" : `no: ${unread.join("; ")}`,
          [...new Set(touches.map(touchInWords))].join("; "),
        ];
      }),
    ),
    "## Hazards",
    "With one of these words a command does more than its name says. No rule runs it without asking, unless the rule has `exact: true`. `-x` also counts among other letters (`-ax`), and `--long…` for every option that begins so. A text between slashes is a regular expression. `sed` scripts with other commands than `p`, `d`, `q`, `=` and `s`, `awk` programs that run, read or write, `xargs`, a second file of `uniq`, and `git` with `-c`, a changed config or a command that runs others count as well.",
    table(
      ["program", "words that run something", "words that write or remove files"],
      hazardTable().map(({ program, runs, writes }) => [code(program), list(runs), list(writes)]),
    ),
    "## Unread programs",
    'These programs run what their words say, so that they may be any other program. If a rule with `doubt: ask` denies or asks about anything, they ask, unless a rule names them: `{ pattern: "bash -c", approval: false }`. A rule of an operator on command lines covers them too. What stands plainly among their words is judged as well: `timeout 5 git push`.',
    `Always: ${always.map(code).join(", ")}.`,
    table(
      ["program", "with an option that matches"],
      byOption.map(([program, option]) => [code(program), code(String(option))]),
    ),
    "The tables help people who write rules. They are not a boundary: `make` runs what a file says, and no table can know it. The sandbox is the boundary.",
  );
}

function touchInWords(touch: ShellTouch): string {
  switch (touch.act) {
    case "open":
      return `${touch.mode}s ${touch.path === null ? "a file" : code(touch.path)}`;
    case "move":
      return `enters ${touch.path === null ? "a folder" : code(touch.path)}`;
    case "set":
      return `sets ${code(touch.name)}`;
  }
}

function list(words: readonly string[]): string {
  return words.map((word) => (word === "every word" ? word : code(word))).join(" ");
}

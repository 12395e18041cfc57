import { describe, expect, test } from "vitest";
import { parseLine } from "../../../src/shell/parse.ts";

/** Each construct of the grammar, with lines that are understood and their closest ones that are not. */
const CONSTRUCTS: readonly (readonly [
  construct: string,
  understood: readonly string[],
  unread: readonly string[],
])[] = [
  [
    "a change of folder",
    ["cd", "cd a", "cd -- a", 'cd "$x"', "cd -", "cd ~/a", "pushd a; popd"],
    ["CDPATH=a cd b"],
  ],
  [
    "a redirect to a file",
    ["a >b", "a >>b", "a >|b", "a &>b", "a &>>b", "a <b", "a 2>b", "a <>b", ">b", '(a; b) >"$x"', "a >$(b)"],
    ["a >/dev/tcp/b/1", "a </dev/udp/b/1", "a >&b", "a >&$x", "a {x}>b", "a >{b,c}", "a > <(b)c"],
  ],
  [
    "a redirect to a pipe",
    ["a < <(b)", "a > >(b)", "a 2> >(b) <c"],
    ["a < <(b)c", "a <<< <(b)", "a < <((b))"],
  ],
  [
    "a variable in a word",
    ["a $x", 'a "$x" $? $# $@ "$@" $1 $! $$ $-', 'a b"$x"c', "a ${x}", "case $x in $y) a;; esac", "a $x/*"],
    ["$x", "a; $x b", "x=1 $y", 'a "`b`"', "a $'\\x41'", "a $[x]", "a[$x]"],
  ],
  [
    "an expansion with an operator",
    [
      "a ${x:-b} ${x-$y} ${x:+b c} ${x:?}",
      "a ${x%.js} ${x##*/} ${x/a/b} ${x//\\//-} ${x^^} ${#x}",
      "a ${x:0:7} ${x: -3}",
    ],
    [
      "a ${!x}",
      "a ${x[0]}",
      "a ${x:y}",
      "a ${x:0:y}",
      "a ${x@P}",
      "a ${x:=b}",
      "a ${x:-`b`}",
      "a ${x:-$(b)}",
      "a ${ b;}",
    ],
  ],
  [
    "a variable of the line",
    [
      "x=1",
      "x=$(a)",
      'x="a $y"; b',
      "COUNT=$(a | wc -l)",
      "SERVER_PID=$!",
      "OUT2=a",
      "N=1",
      "unset x",
      "x+=a",
    ],
    [
      "x=(a)",
      "x[0]=1",
      "x=`a`",
      "IFS=,",
      "PATH=a",
      "LD_PRELOAD=a",
      "BASH_ENV=a",
      "MY_PAGER=a",
      "http_proxy=a",
    ],
  ],
  [
    "a variable for a program",
    [
      "CI=1 a",
      "NODE_ENV=test a",
      "PAGER=cat git log",
      "LC_ALL=C a",
      "TZ=UTC a",
      "export CI=$x",
      "export NO_COLOR",
    ],
    [
      "x=1 a",
      "COUNT=1 a",
      "PAGER=less a",
      "PAGER=$x a",
      "LC_ALL=zh_CN.GBK a",
      "TZ=:/a b",
      "export x=1",
      "export $x",
    ],
  ],
  [
    "the spelling of `export`",
    ["export CI=1 PORT=$x", "CI=1 export PORT=$x", ">b export CI=$x"],
    ["\\export CI=$x", "'export' CI=$x", "export -n CI", "export -f a"],
  ],
  [
    "`read`",
    [
      "read x",
      "read -r x y",
      "IFS= read -r x",
      "IFS=, read -r x y",
      "read -rd '' x",
      "read -t 5 -n1 x",
      "read -p 'a b' x",
      "read",
    ],
    [
      "read SECONDS",
      "read -a x",
      "read -e x",
      "read 'a[0]'",
      'read "$x"',
      "read -u $x y",
      "IFS=$x read y",
      "x=1 read y",
      "read -t",
    ],
  ],
  [
    "a loop over words",
    [
      "for i in 1 2; do a $i; done",
      "for i in *.ts; do a; done",
      "for i; do a; done",
      "for FILE in $(a); do b; done",
    ],
    [
      "for PATH in a; do b; done",
      "for RANDOM in a; do b; done",
      "for ((;;)); do a; done",
      "select i in a; do b; done",
    ],
  ],
  [
    "a condition",
    [
      "if a; then b; elif c; then d; else e; fi",
      "while a; do b; done",
      "until a; do b; done",
      "case x in a|b*) c;; *) d;; esac",
    ],
    [
      "if a; then $x; fi",
      "while a; do eval b; done",
      "case x in a) `b`;; esac",
      "case $((x)) in 1) a;; esac",
    ],
  ],
  [
    "a group",
    ["{ a; b; }", "(a; b)", "( (a) )", "(cd a && b)", "a | { b; c; }"],
    ["((a))", "((a) )", "f() { a; }", "coproc a"],
  ],
  [
    "`[[ ]]`",
    [
      "[[ -f $x && ! -d a ]]",
      '[[ $x == a* || ( "$x" < b ) ]]',
      "[[ $x ]]",
      "[[ a -nt b ]]",
      "[[ $? -eq 0 && ${#x} -gt 3 ]]",
    ],
    ["[[ $x -eq 1 ]]", "[[ x -lt 1 ]]", "[[ -v x ]]", "[[ -R x ]]", "[[ $x =~ a ]]", "[[ $x == @(a|b) ]]"],
  ],
  [
    "`[` with unknown words",
    [
      '[ "$x" ]',
      '[ -n "$x" ]',
      '[ "$x" = "$y" ]',
      '[ ! -f "$x" ]',
      '[ ! "$x" = y ]',
      'test "$x" -gt 1',
      "[ $? -eq 0 ]",
      "[ -d ~/a ]",
      '[ -f "$x/a" ]',
    ],
    [
      '[ "$x" "$y" ]',
      "[ $x = y ]",
      "[ -f $x ]",
      '[ "$@" ]',
      '[ -n "$x" -a -n "$y" ]',
      '[ "$x" -v y ]',
      "[ -v 'a[0]' ]",
      '[ -f "${x:-$@}" ]',
      "[ -f *.ts ]",
    ],
  ],
  [
    "`printf`",
    ["printf '%s\\n' \"$x\" $y", "printf -- '%d' 1", "printf a"],
    ['printf "$x" a', "printf -v x a", "printf '%n' x", "printf $x", "printf -- $x"],
  ],
  [
    "a substitution",
    ["a $(b)", 'a "$(b | c)"', "a $(b; c) $(<d)", "a <(b) >(c)"],
    ["a `b`", "a $((b) )", "a <((b) )", "a $(eval b)", "a b<(c)", "a <(c)b", "a <(b)<(c)", "x=<(a)"],
  ],
  [
    "a here-document with expansions",
    ["a <<E\n$x ${x:-b} $(b) $((1))\nE", "a <<-E\n\t$x\n\tE", "a <<'E'\n`b` \\\nE"],
    ["a <<E\n`b`\nE", "a <<E\n\\$x\nE", "a <<E\n${x:-`b`}\nE", "a <<E\n$((x))\nE", "a <<E\n$(b"],
  ],
  [
    "braces",
    ["a {b,c}", "a {1..3}", "a b/{c,d}.ts", "mkdir -p a/{b,c}/{d,e}"],
    ["{a,b}", "a {b,'c'}", "a {b,$x}", "a {b,{c,d}}"],
  ],
  [
    "arithmetic with numbers",
    [
      "a $((1 + 2 * (3 - 1)))",
      "i=0; a $((i+1))",
      "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
      "for i in 1 2; do a $((i*2)); done",
      "a $(($? + $#))",
    ],
    [
      "a $((i+1))",
      "i=$x; a $((i))",
      "i=0; read i; a $((i))",
      "a $((i)); i=0",
      "b || i=0; a $((i))",
      "i=0 & a $((i))",
      "(i=0); a $((i))",
      "i=0; i+=x; a $((i))",
      "a $((x[0]))",
      "a $((1)+(1))",
      "a $((0x1f))",
      "for i in $x; do a $((i)); done",
      "for i in 1; do a; done; b $((i))",
      "i=0; x=1 i=a b; c $((i))",
    ],
  ],
  [
    "options of the shell",
    ["set -euxo pipefail", "set -e", "set +e", "set -o errexit -o pipefail", "set -C"],
    ["set -k", "set -a", "set -o posix", "set -H", "set $x", "set -- a", "set -eo", "shopt -s extglob"],
  ],
  [
    "a builtin",
    [
      "command -v a",
      "type a",
      "wait",
      "wait $!",
      "a & wait %1",
      "P=$!; wait $P",
      "break 2",
      "continue",
      "exit $?",
      'exit "$x"',
      "shift",
      "hash -r",
      "jobs -p",
      "a & disown",
      ": $x",
      "true; false",
      "times",
      "umask 022",
      "echo $x",
      "pwd",
    ],
    [
      "command a",
      "builtin a",
      'wait "$x"',
      "wait -p x",
      "wait -n $x",
      "hash -p a b",
      "hash $x",
      "jobs -x a",
      "eval a",
      "source a",
      ". a",
      "trap a EXIT",
      "alias a=b",
      "exec a",
      "declare x=1",
      "local x",
      "let x",
      "getopts a b",
      "mapfile x",
      "readonly x=1",
      "enable -f a b",
      "return",
    ],
  ],
  ["the background", ["a & b", "(a; b) &", "nohup a >b 2>&1 &"], ["eval a &"]],
];

describe.each(CONSTRUCTS)("%s", (_, understood, unread) => {
  test.each(understood)("is understood: %s", (line) => {
    expect(parseLine(line).unread).toEqual([]);
  });

  test.each(unread)("is not understood: %s", (line) => {
    expect(parseLine(line).unread).not.toEqual([]);
  });
});

test("a text from a here-document is a plain word, and its `cat` a command of the line", () => {
  const line = `git commit -m "$(cat <<'EOF'\nFix $x\n\n- \`a\`\nEOF\n)" -q`;
  expect(parseLine(line)).toEqual({
    commands: [{ words: ["git", "commit", "-m", "Fix $x\n\n- `a`", "-q"] }, { words: ["cat"], isFed: true }],
    touches: [],
    unread: [],
    plain: null,
  });
  const others = [
    '"$(cat <<E\n$x\nE\n)"',
    "\"$(cat a <<'E'\nb\nE\n)\"",
    "\"$(cat <<'E' | a\nb\nE\n)\"",
    "$(cat <<'E'\nb\nE\n)",
    "\"$(cat <<-'E'\nb\nE\n)\"",
    "\"$(b <<'E'\nb\nE\n)\"",
  ];
  for (const word of others)
    expect([word, parseLine(`echo ${word}`).commands[0]?.words]).toEqual([word, ["echo", "\0"]]);
  expect(parseLine("\"$(cat <<'E'\nrm\nE\n)\" x").unread).toEqual(["only bash knows the name of a command"]);
});

describe("a word that only bash will know", () => {
  test.each([
    ['"src/$x"', "\0src/"],
    ['a"b$x"', "\0ab"],
    ["'a'\"$(b)\"c", "\0a"],
    ["src/{a,b}", "\0src/"],
    ["src/*.ts", "\0src/"],
    ["<(a)", "\0/dev/fd/"],
    // These may be several words, so that nothing is certain about the others.
    ["src/$x", "\0"],
    ['"src/$@"', "\0"],
    ['"a${x:-$@}"', "\0"],
    ["a*$x", "\0"],
    ["a[$x]", "\0"],
    ['{a,b}"$x"', "\0"],
    ["~/a", "\0"],
  ])("keeps the text that all its words begin with: %s", (word, read) => {
    expect(parseLine(`echo ${word}`).commands[0]?.words).toEqual(["echo", read]);
  });
});

/** The longest line that one word of a call can hold (execve(2), `MAX_ARG_STRLEN`). */
export const LONGEST_LINE = 128 * 1024 - 1;

/** Some text over and over, up to a length. */
export function filled(unit: string, length: number): string {
  return unit.repeat(Math.max(1, Math.floor(length / unit.length)));
}

function nested(open: string, close: string, length: number): string {
  const times = Math.floor((length - 2) / (open.length + close.length));
  return `${open.repeat(times)}ls${close.repeat(times)}`;
}

/** What a line of bash is made of, where it opens something: how it opens and how it closes. */
const OPENERS: readonly (readonly [open: string, close: string])[] = [
  ["$(", ")"],
  ["`", "`"],
  ["(", ")"],
  ["((", "))"],
  ["$((", "))"],
  ["$[", "]"],
  ["${a:-", "}"],
  ["${a/", "}"],
  ["${a[", "]}"],
  ["${a:-$[[", "]]}"],
  ["{ ", "; }"],
  ["{a,", "}"],
  ["{a,[", "]}"],
  ["[[ ", " ]]"],
  ["[[ ( ", " ) ]]"],
  ['"$(', ')"'],
  ["<(", ")"],
  ["ls >(", ")"],
  ["@(a|", ")"],
  ["a=(", ")"],
  ["a[$(", ")]=1"],
  ["if ", "; then ls; fi; "],
  ["while ", "; do ls; done; "],
  ["case a in a) ", ";; esac; "],
  ["for i in a; do ", "; done; "],
  ["f() { ", "; }; "],
  ["cat <<A\n$(", "\n)\nA\n"],
];

/** What it is made of besides. */
const PARTS: readonly string[] = [
  ...["ls;", "ls\n", "ls|", "ls&&", "a ", ">a ", "2>&1 ", "<<A ", "<<}", "cat <<A\n", "a=b ", "a=b;"],
  ...["'a'", '"a"', "\\a", "\\", "a\\\n", "{a,\\\n[", "{", "{a,", "{a,b}", "*a", "?", "[a", "~/", "$a", "$ "],
  ...["a/", "../", "a/../", ",a", "=a", "--a=", "env ", "nice -n 1 ", "xargs ", "eval 'a b';", "bash -c "],
  ...[
    "i=0;",
    "$((i)) ",
    "i=0;a $((i));",
    "[ $i -lt 1 ];",
    "${a:-$b} ",
    ">$a ",
    "cd a;",
    "read a;",
    "export CI=1;",
  ],
  ...[
    "for i in 1;do a $((i));done;",
    'a "$b" ',
    "$(cat <<A\nA\n) ",
    "\"$(cat <<'A'\nA\n)\" ",
    "case a in a) b;;esac;",
  ],
  ...[
    "bash -c 'a b';",
    "find . -exec rm ';' ",
    "git -c a=b ",
    "sed s/a/b/;",
    "printf %",
    "1+",
    "-",
    "é",
    "\u202e",
  ],
];

/** Lines that were made to take long, of any length, by what they are made of. */
export const LINES: readonly (readonly [name: string, line: (length: number) => string])[] = [
  ...OPENERS.flatMap(([open, close]): readonly (readonly [string, (length: number) => string])[] => [
    [`${open} never closed`, (length) => filled(open, length)],
    [`${open} closed`, (length) => nested(open, close, length)],
    [`${open} one after the other`, (length) => filled(`${open}ls${close} `, length)],
  ]),
  ...PARTS.flatMap((part): readonly (readonly [string, (length: number) => string])[] => [
    [part, (length) => filled(part, length)],
    [`ls ${part}`, (length) => `ls ${filled(part, length)}`],
  ]),
  [
    "one level less at each place",
    (length) => `${"$(".repeat(200)}${filled("a ", length)}${")".repeat(200)}`,
  ],
  ["quotes in quotes", quotesInQuotes],
  ["programs that nobody knows", (length) => numbered("p", ";", length)],
  ["programs in folders", (length) => numbered("./p", ";", length)],
  ["words that may run", (length) => numbered("env a", " ", length)],
  ["a long script of sed", (length) => `sed -e 's${filled("/", length)}x'`],
  ["a version without an end", (length) => `${filled("1", length)}a`],
];

function numbered(start: string, end: string, length: number): string {
  return Array.from(
    { length: Math.ceil(length / (start.length + end.length + 1)) },
    (_, at) => `${start}${at}${end}`,
  )
    .join("")
    .slice(0, length);
}

function quotesInQuotes(length: number): string {
  let line = "ls a";
  for (;;) {
    const next = `bash -c '${line.replaceAll("'", "'\\''")}'`;
    if (next.length > length) return line;
    line = next;
  }
}

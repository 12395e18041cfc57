/** Lines of bash, drawn from a seed: most are lists of plain commands, many have one strange thing in them. */
export function* linesFrom(seed: number): Generator<string> {
  const random = numbersFrom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const one = (list: readonly string[]): string => list[below(list.length)] ?? "";
  const words = (): string => Array.from({ length: below(4) }, () => ` ${one(WORDS)}`).join("");
  const simple = (): string => `${one(PREFIXES)}${one(PROGRAMS)}${words()}${one(REDIRECTS)}`;
  const list = (depth: number): string => {
    const parts = Array.from({ length: 1 + below(3) }, () => {
      const kind = depth > 2 ? 0 : below(9);
      if (kind === 1) return `( ${list(depth + 1)} )`;
      if (kind === 4) return `(${list(depth + 1)}${one(["", " ", "\n"])})`;
      if (kind === 2) return `{ ${list(depth + 1)}; }`;
      if (kind === 3) return `${simple()} ${one(DOCUMENTS)}`;
      return simple();
    });
    return parts.reduce((line, part) => `${line}${one(JOINTS)}${part}`);
  };
  for (;;) {
    let line = list(0);
    for (let strange = below(3); strange > 0; strange -= 1) {
      const at = below(line.length + 1);
      const cut = below(4) === 0 ? below(3) : 0;
      line = `${line.slice(0, at)}${one(STRANGE)}${line.slice(at + cut)}`;
    }
    yield below(40) === 0 ? `${line}\\` : line;
  }
}

/** Mulberry32: numbers from 0 to 1 that a seed decides. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Stand-ins that rules let pass, and seldom one that none does. */
const PROGRAMS = [
  "aa",
  "bb",
  "aa",
  "bb",
  "aa",
  "gg ok",
  "dd x",
  "echo",
  "'a'a",
  "a\\a",
  '"bb"',
  "gg",
  "zz",
  "rm",
];
const WORDS = [
  ...["x", "-o", "rm", "'; rm'", '"; zz"', "\\;", "a#b", "'$(zz)'", '"a b"', "''", '""', "\\$x", "x\\ y"],
  ...[
    "'a\\'",
    '"a\\"b"',
    '"\\\\"',
    "*",
    "[rz]m",
    "a=b",
    "~",
    "HEAD~1",
    "{",
    "}",
    "!",
    "$'\\n'",
    "ok",
    "é",
    "--x=*",
  ],
  ...["'\n'", "$'x\n'", '"\n"', "''{},-o}", "a{b}c,d}", "{x'{'},..}", "{}", "旁\\"],
  ...['"`"', "'`'", '"\\`"', "if", "then", "done", "a\\\nb", "2", "'#'", "\\#", "$", '"$"', "a$", "@{1}"],
];
const PREFIXES = ["", "", "", "", "", "! ", "time ", "", "", "</dev/null ", "a=b "];
const REDIRECTS = [
  "",
  "",
  "",
  "",
  " >/dev/null",
  " 2>&1",
  " <&-",
  " 2>/dev/null >&2",
  " >>/dev/null",
  " <<< x",
  " >&-",
  ">/dev/null",
  "<<<x",
  " 2>/dev/null",
  " {zz}>/dev/null",
  " {a['$(zz)']}>/dev/null",
  ' {a["`zz`"]}<&-',
];
const JOINTS = [
  " && ",
  " || ",
  "; ",
  " | ",
  "\n",
  " & ",
  "&",
  ";",
  "|",
  " |& ",
  " # x\n",
  " \\\n&& ",
  "\n\n",
  "\\\n",
];
const DOCUMENTS = [
  ...["<<EOF\nrm\nEOF\n", "<<'EOF'\n$(zz)\nEOF\n", "<<-EOF\n\tzz\n\tEOF\n", "<<EOF | bb\nrm\nEOF\n"],
  ...[
    "<<EOF && bb\n'\nEOF\n",
    "<<A <<B\nrm\nA\nzz\nB\n",
    '<<"E"\n`zz`\nE\n',
    "<<E\nx\\\nE\nzz\nE\n",
    "<<EOF\n$(zz)\nEOF\n",
  ],
];
const STRANGE = [
  ...[
    ";",
    "&",
    "|",
    "\n",
    "\\\n",
    "\\",
    "'",
    '"',
    "`",
    "$(",
    ")",
    "(",
    "{ ",
    "; }",
    "#",
    " #",
    "!",
    "$",
    "~",
    "*",
  ],
  ...[
    "$(zz)",
    "`zz`",
    "<(zz)",
    ">(zz)",
    '"$(zz)"',
    "$'",
    "$'\\'",
    '$"',
    "${x}",
    "$((1))",
    "$[1]",
    "${x:-`zz`}",
  ],
  ...[
    " zz ",
    " rm ",
    "; zz;",
    "&zz&",
    "|zz",
    "\nzz\n",
    "<<<",
    "<<",
    "<<E",
    "<<E\n",
    "\nE\n",
    "<",
    ">",
    ">&",
    "<&",
    "&>",
  ],
  ...[
    "{aa,zz}",
    "{zz,x}",
    "?",
    "[z]z",
    "@(zz)",
    "!(x)",
    "[[ ",
    " ]]",
    "((",
    "))",
    "if ",
    "; then ",
    "; fi",
    "case x in x) ",
  ],
  ...[
    " ;; esac",
    "for i in zz; do ",
    "; done",
    "while ",
    "until ",
    "function f ",
    "f() ",
    "coproc ",
    "time ",
    "select ",
  ],
  ...[
    "eval zz",
    "exec zz",
    "command zz",
    "builtin ",
    ". ./zz",
    "cd . ",
    "export A=zz ",
    "x=(zz) ",
    "a+=b ",
    "a[0]=b ",
  ],
  ...[
    "\r",
    "\t",
    "\u00a0",
    "\u200b",
    "\u202e",
    "\v",
    "\f",
    "é",
    "<<< <(zz)",
    "<<< <(aa)zz ",
    "2>&1",
    "{x}>&1",
    ">|",
    "<>",
  ],
  ...[
    "\\'",
    '\\"',
    "''",
    '""',
    "$'\\x7a\\x7a'",
    "$'\\n'",
    "\\\\",
    "z\\\nz",
    "z''z",
    '"z"z',
    "\\zz",
    "z\\z",
    "EOF\n",
    "\tEOF\n",
  ],
];

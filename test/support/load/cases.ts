import { filled, LINES, LONGEST_LINE } from "./bombs.ts";

const MIB = 1024 ** 2;

type Input = () => unknown;
/** One call: what it is, of which tool, and what the tool is called with. */
export type Case = readonly [name: string, tool: string, input: Input];

const script = (name: string, text: Input): Case => [name, "shell", () => ({ script: text() })];
const argv = (name: string, words: () => readonly string[]): Case => [
  name,
  "shell",
  () => ({ argv: words() }),
];

const SHELL: readonly Case[] = [
  ...LINES.filter((_, at) => at % 3 === 0).flatMap(([name, line]): readonly Case[] => [
    script(`${name}, 32 KiB`, () => line(32 * 1024)),
    script(`${name}, the longest`, () => line(LONGEST_LINE)),
  ]),
  ...["$(", "{", "`", '"', "a/", ",a", "\u001b"].flatMap((unit): readonly Case[] => [
    argv(`long words of ${unit}`, () => [
      "ls",
      ...Array.from({ length: 15 }, () => filled(unit, LONGEST_LINE)),
    ]),
    argv(`long lines of ${unit} for a shell`, () => [
      ...["bash", "-c"],
      ...Array.from({ length: 15 }, () => filled(unit, LONGEST_LINE)),
    ]),
    argv(`many words of ${unit}`, () => ["env", ...Array.from({ length: 5_999 }, () => filled(unit, 330))]),
  ]),
  argv("paths that lead deep", () => ["ls", ...Array.from({ length: 400 }, (_, at) => `deep/${at}`)]),
  argv("paths that are deep", () => [
    "ls",
    ...Array.from({ length: 16 }, (_, at) => `${"a/".repeat(1_900)}${at}`),
  ]),
  argv("paths that are not there", () => [
    "cat",
    ...Array.from({ length: 100 }, (_, at) => `deep/none${at}`),
  ]),
  script("programs at the end of a long way", () =>
    Array.from({ length: 250 }, (_, at) => `deep/p${at}`).join(";"),
  ),
  script("programs that are large", () => "./large a; ./large b; ./other c"),
  ["a folder to start in at the end of a long way", "shell", () => ({ argv: ["true"], cwd: "deep" })],
  ["a folder to start in that is deep", "shell", () => ({ argv: ["true"], cwd: "a/".repeat(1_900) })],
  ["a million words", "shell", () => ({ argv: Array.from({ length: 1_000_000 }, () => "a") })],
  ["words that are none", "shell", () => ({ argv: Array.from({ length: 300_000 }, () => ({ a: 1 })) })],
];

const contents = ["a", "line\n", "\n", "é", "\u001b", "\u202e", "<a>", "password=a ", '"', "function(){"];

const FILES: readonly Case[] = [
  ...["ws", "asked"].flatMap((root): readonly Case[] => [
    ...contents.flatMap((unit): readonly Case[] => [
      [
        `writes 4 MiB of ${JSON.stringify(unit)}: ${root}`,
        "write_file",
        () => written(`${root}:new.js`, unit, 4),
      ],
      [
        `replaces by 2 MiB of ${JSON.stringify(unit)}: ${root}`,
        "write_file",
        () => written(`${root}:lines`, unit, 2),
      ],
    ]),
    [`writes 15 MiB: ${root}`, "write_file", () => written(`${root}:new`, "line\n", 15)],
    [
      `makes many folders: ${root}`,
      "write_file",
      () => ({ path: `${root}:${"a/".repeat(2_000)}f`, content: "" }),
    ],
    [`writes far from here: ${root}`, "write_file", () => ({ path: `${root}:deep/f`, content: "" })],
    [`a path of ..: ${root}`, "read_file", () => ({ path: `${root}:${"a/../".repeat(700)}f` })],
    [`100 edits: ${root}`, "edit_file", () => edits(root, 100, (at) => [`line ${at}\n`, `new ${at}\n`])],
    [`edits of every line: ${root}`, "edit_file", () => edits(root, 1, () => ["line", "new"], true)],
    [
      `an edit by a long text: ${root}`,
      "edit_file",
      () => edits(root, 1, () => ["line 7\n", filled("x\n", 4 * MIB)]),
    ],
    [
      `an edit of what is nearly there: ${root}`,
      "edit_file",
      () => edits(root, 1, () => [`${filled("e 1", MIB)}x`, ""]),
    ],
    [
      `arguments that are none: ${root}`,
      "edit_file",
      () => ({ path: `${root}:lines`, edits: filled("x", 9) }),
    ],
  ]),
  ["more keys than a tool has", "write_file", () => Object.fromEntries(numbered(100_000))],
  ["a glob of stars", "find_files", () => ({ path: "ws:", pattern: filled("*a", 999) })],
  ["a pattern that goes back", "search_files", () => ({ path: "ws:", regex: "(a+)+$" })],
];

const HOST: readonly Case[] = [
  ...contents.map(
    (unit): Case => [`4 MiB of ${JSON.stringify(unit)}`, "mine", () => ({ a: filled(unit, 4 * MIB) })],
  ),
  ["16 MiB of text", "mine", () => ({ a: filled("text ", 16 * MIB) })],
  ...contents.map(
    (unit): Case => [`30 MiB of JSON, of ${JSON.stringify(unit)}`, "mine", () => jsonOf(unit, 30 * MIB)],
  ),
  ["lines of nothing", "mine", () => `${filled("\n", 30 * MIB)}]`],
  ["blanks", "mine", () => `{"a":${filled(" ", 30 * MIB)}1}`],
  ["brackets", "mine", () => filled("[", 4 * MIB)],
  ["brackets that close", "mine", () => `${"[".repeat(2 * MIB)}${"]".repeat(2 * MIB)}`],
  [
    "lists in lists",
    "mine",
    () => ({ a: Array.from({ length: 400 }, () => JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`)) }),
  ],
  ["a long list", "mine", () => ({ a: Array.from({ length: 99_000 }, () => 1) })],
  ["a longer list", "mine", () => ({ a: Array.from({ length: 2_000_000 }, () => 1) })],
  ["many keys", "mine", () => Object.fromEntries(numbered(45_000))],
  ["more keys", "mine", () => Object.fromEntries(numbered(100_000))],
  ["a long key", "mine", () => ({ [filled("password=a ", 4 * MIB)]: 1 })],
];

const REST: readonly Case[] = [
  ["a long name of a tool", filled("x", 16 * MIB), () => ({})],
  ["a long address", "web_fetch", () => ({ url: `https://example.com/${filled("a/../", 8_000)}` })],
  ["an address that is too long", "web_fetch", () => ({ url: `https://${filled("é.", 4 * MIB)}` })],
];

/** Calls that were made to hold up whoever decides them, by all that a model controls of them. */
export const CASES: readonly Case[] = [...SHELL, ...FILES, ...HOST, ...REST];

function written(path: string, unit: string, mebibytes: number): unknown {
  return { path, content: filled(unit, (mebibytes * MIB) / Buffer.byteLength(unit)) };
}

function jsonOf(unit: string, length: number): string {
  const written = JSON.stringify(unit).slice(1, -1);
  return `{"a":"${filled(written, (length * written.length) / Buffer.byteLength(written))}"}`;
}

function edits(
  root: string,
  count: number,
  of: (at: number) => readonly [string, string],
  all = false,
): unknown {
  const made = Array.from({ length: count }, (_, at) => {
    const [old, now] = of(at * 7);
    return { old_text: old, new_text: now, ...(all ? { all } : {}) };
  });
  return { path: `${root}:lines`, edits: made };
}

function numbered(count: number): (readonly [string, number])[] {
  return Array.from({ length: count }, (_, at) => [`k${at}`, at]);
}

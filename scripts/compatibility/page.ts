import { rowText } from "../lib/row-text.ts";
import { CLIENTS_HEADING, clientsSection } from "./clients/section.ts";
import type { Row } from "./row.ts";
import { GROUPS } from "./rows/all.ts";
import type { Verdict } from "./verdict.ts";

/** A row, tried. */
export interface Line {
  readonly name: string;
  readonly version: string;
  readonly verdict: Verdict;
}

const HEAD = `# Compatibility

What tools do in the sandbox, from real runs: \`scripts/compat\` writes this page. It does each thing twice, without the
sandbox and in it, in a new project whose config says no more than this, with the network off:

\`\`\`yaml
version: 1
sandbox:
  paths: { project: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, node, python, rust, go, git] # those that are on PATH
\`\`\`

What also fails without the sandbox, or is not installed, counts as not tried. The page names a setting where the tool
fails without it and works with it. For every tool it holds that

- **HOME and \`/tmp\` are empty when a call starts, and gone when it ends.** No \`~/.npmrc\`, \`~/.gitconfig\` or \`~/.cargo\` is
  there ([git works as you have it](docs/how-to/git.md)), and no cache lasts. Give tools a cache of their own and name it by its variable, as with
  \`npm\` and \`go\` below; what your own tools run or build from is better shown with \`mode: ro\`, as the modules of \`go\`
  and the crates of \`cargo\`.
- **The network is the call's own loopback.** Servers and clients of one call meet there. \`shell: { network: { hosts: [...] } }\`
  lets it reach hosts by name, [through a proxy](#through-the-egress-proxy); \`host\` gives the machine's network.
- **All processes end with the call.** A server that it left in the background is gone for the next one.
- **The machine is read-only and mostly not there**: \`/usr\` and a few files of \`/etc\`. Installing for the whole machine
  (\`apt\`, \`npm -g\`) is for outside. Its processes, users, sockets and terminals are not seen.
- **What the host obeys later stays as it is**: git's configuration and hooks, and the files that \`profiles/protected.yaml\`
  and \`profiles/protected.executed.json\` list. New ones are taken away after the call. A folder that holds such a file
  can't be renamed, and a rename into it is \`EXDEV\`.
`;

/**
 * The whole page: the rows in the order of the groups, the machine that they were tried on, and the clients that tests try.
 * Rows that were not tried this time are taken from the page as it was.
 */
export function pageOf(lines: readonly Line[], machine: string, before = ""): string {
  const kept = rowsOn(before);
  const tried = new Map(lines.map((line) => [line.name, line]));
  const textOf = ({ name, does }: Pick<Row, "name" | "does">): string | undefined => {
    const line = tried.get(name);
    return line === undefined ? kept.get(name) : rowText([name, line.version, does, inWords(line.verdict)]);
  };
  const texts = GROUPS.flatMap(({ rows }) => rows.flatMap((row) => textOf(row) ?? []));
  const parts = GROUPS.map(({ title, rows }) => {
    const body = rows.flatMap((row) => textOf(row) ?? []);
    return [
      `## ${title}`,
      "",
      "| tool | version | what was done | in the sandbox |",
      "|---|---|---|---|",
      ...body,
    ];
  });
  return `${HEAD}\n${parts.map((part) => `${part.join("\n")}\n`).join("\n")}\nTried on ${machine}: ${countsIn(texts.map(lastCell))}.\n\n${clientsSection()}`;
}

/** The names in the first column of a page, without those of clients. */
export function namesOn(page: string): readonly string[] {
  return [...rowsOn(page).keys()];
}

/** The rows of a page by their names, without those of clients. */
function rowsOn(page: string): ReadonlyMap<string, string> {
  const [tools = ""] = page.split(CLIENTS_HEADING);
  const rows = [...tools.matchAll(/^\| (.*?) \|.*$/gm)].map(
    ([text, cell = ""]) => [cell.replaceAll("\\|", "|"), text] as const,
  );
  return new Map(rows.filter(([name]) => name !== "" && name !== "tool"));
}

function lastCell(row: string): string {
  return row.slice(row.lastIndexOf(" | ", row.length - 3) + 3, -2);
}

/** The number of rows by result, in words. */
export function countsOf(lines: readonly Line[]): string {
  return countsIn(lines.map(({ verdict }) => inWords(verdict)));
}

function countsIn(cells: readonly string[]): string {
  const count = (beginning: string): number => cells.filter((cell) => cell.startsWith(beginning)).length;
  const wrong = count("WRONG");
  return [
    `${cells.length} rows`,
    `${cells.filter((cell) => cell === "works").length} work`,
    `${count("works with ")} with a setting`,
    `${count("fails by design")} fail by design`,
    `${count("not tried")} not tried`,
    ...(wrong === 0 ? [] : [`${wrong} wrong`]),
  ].join(", ");
}

/** A verdict, for a cell of the table. */
export function inWords(verdict: Verdict): string {
  switch (verdict.kind) {
    case "works":
      return "works";
    case "with":
      return `works with \`${verdict.setting}\``;
    case "by-design":
      return `fails by design: “${verdict.says}”. Instead: ${verdict.remedy}`;
    case "untried":
      return `not tried here: ${verdict.why}`;
    case "wrong":
      return `WRONG: ${verdict.what}`;
  }
}

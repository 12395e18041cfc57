import { AGENTS } from "./agents.ts";
import { aiSdk } from "./aisdk.ts";
import { LANG } from "./lang.ts";
import { CELLS, type Mapping, type Served } from "./mapping.ts";
import { MCP } from "./mcp.ts";
import { WRAP } from "./wrap.ts";

/** All faces, in the order of the page. */
export const FACES: readonly Mapping[] = [MCP, WRAP, aiSdk, AGENTS, LANG];

/** The page that says how each face serves what. */
export function facesPage(): string {
  const names = FACES.map(({ framework }) => framework);
  return [
    "# What each face does with approvals",
    "",
    "A face brings the tools of a session into what people already use, and decides nothing: every call walks through the gate, and",
    "what a framework brings as an answer is one answer among others. *yes* is served, and the test that proves it is named below;",
    "*no* is not, for the framework's own reason. Whatever a framework has no words for, the inbox, the chat and the command line do.",
    "",
    "Grants for the session, `most_pending`, and the three noes after which the same is asked about no more are a session's: a program",
    "that makes a new one for each request has them for that request alone. Over HTTP an MCP client chooses how many sessions it has:",
    "`most_pending` and `most_pending_size` then hold for its token, over all of them and over restarts. A program that serves several",
    "people names each by `client` of `supervisor.session`, to the same effect.",
    "",
    row(["", ...names]),
    row(["---", ...names.map(() => "---")]),
    ...CELLS.map((cell) => row([cell, ...FACES.map(({ cells }) => ("how" in cells[cell] ? "yes" : "no"))])),
    ...FACES.flatMap((face) => ["", `## ${face.framework}`, "", ...section(face)]),
    "",
  ].join("\n");
}

function section({ cells }: Mapping): readonly string[] {
  return [
    row(["", "how", "proven by"]),
    row(["---", "---", "---"]),
    ...CELLS.map((cell) => rowOf(cell, cells[cell])),
  ];
}

function rowOf(cell: string, served: Served): string {
  if ("reason" in served) return row([cell, `no: ${served.reason}`, ""]);
  const [file, title] = served.test;
  return row([cell, served.how, `[${title.replaceAll("%s", "…")}](../${file})`]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

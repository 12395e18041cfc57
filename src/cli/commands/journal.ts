import { columns } from "../../channel/columns.ts";
import { findJournal } from "../../config/find-journal.ts";
import { visible } from "../../errors.ts";
import { thisHost } from "../../host/look/host.ts";
import { readRun, recordedRuns } from "../../journal/record.ts";
import { verifyRun } from "../../journal/verify.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { quote } from "../../shell/quote.ts";
import { knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { reportThree } from "../failure.ts";
import { journalLines } from "../journal-text.ts";
import { showHeads, verifyRecords } from "../journal-verify.ts";
import type { Print } from "../print.ts";
import { runNamed } from "../run-named.ts";

const OPTIONS = {
  config: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  list: { type: "boolean" },
  all: { type: "boolean" },
  head: { type: "string" },
  heads: { type: "string" },
} as const;

/** The options that only some actions accept. */
const TAKES = { show: ["list"], verify: ["all", "head", "heads"], head: ["all"] } as const;
type Action = keyof typeof TAKES;

const MAX_LISTED = 50;

/** Shows the record of one run (default: the latest), lists the runs, or checks their chains. */
export async function journal(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("journal", args, OPTIONS);
  const { json = false, list = false, all = false } = values;
  parseWords("journal", positionals, ["show|verify|head", "RUN"], list ? 0 : 1);
  const action = knownWord("journal", "action", positionals[0] ?? "show", ["show", "verify", "head"]);
  assertTaken(action, values);
  const named = positionals[1];
  if (named !== undefined && (all || list))
    throw usage("journal", `RUN and \`--${all ? "all" : "list"}\` cannot be combined`, "use one of them");
  const host = thisHost();
  const { folder, keepMs, note } = findJournal(host, values.config);
  if (note !== null) print.talk(print.talkInk.dim(`cofferdam: ${note}`));
  const runs = recordedRuns(folder);
  switch (action) {
    case "show":
      if (list) return showRuns(folder, runs, json, print);
      return showRun(folder, runNamed(runs, named), json, print);
    case "verify":
      return verifyRecords(
        { folder, runs, named, keptSince: keepMs === null ? null : host.now() - keepMs },
        values,
        print,
      );
    case "head":
      return showHeads(folder, all ? runs : [runNamed(runs, named)], json, print);
  }
}

/** Throws `USAGE` for an option of another action. */
function assertTaken(action: Action, values: Readonly<Record<string, unknown>>): void {
  for (const other of ["show", "verify", "head"] as const)
    for (const option of TAKES[other])
      if (values[option] !== undefined && !TAKES[action].some((one) => one === option))
        throw usage("journal", `\`journal ${action}\` takes no \`--${option}\``);
}

function showRun(folder: AbsolutePath, run: string, json: boolean, print: Print): number {
  const { events, problem } = readRun(folder, run);
  if (json) for (const event of events) print.json(event, 0);
  else for (const line of journalLines(events, print.ink)) print.result(line);
  if (problem !== null)
    reportThree(
      print,
      `the record of run ${visible(run)} ends here: ${problem}`,
      null,
      "the process crashed, or the file was changed",
    );
  if (verifyRun(folder, run).kind !== "holds")
    reportThree(
      print,
      `the record of run ${visible(run)} was changed, or cannot be verified`,
      null,
      `run \`cofferdam journal verify ${run}\``,
    );
  return 0;
}

function showRuns(folder: AbsolutePath, runs: readonly string[], json: boolean, print: Print): number {
  const found = runs.slice(0, MAX_LISTED).map((run) => {
    const { events, problem } = readRun(folder, run);
    const [call] = events.flatMap((event) => (event.type === "call.received" ? [event] : []));
    const ended = events.findLast((event) => event.type === "call.ended");
    return {
      run,
      at: events[0]?.at ?? "",
      words: call?.words ?? [],
      outcome: ended?.outcome ?? "not ended",
      code: ended?.code ?? null,
      problem,
    };
  });
  if (json) print.json({ runs: found });
  else {
    const rows = found.map((one) => [
      one.run,
      one.at.slice(0, 16).replace("T", " "),
      `${one.outcome}${one.code === null ? "" : ` ${one.code}`}${one.problem === null ? "" : ` (${one.problem})`}`,
      quote(one.words),
    ]);
    for (const line of columns(rows, [undefined, print.ink.dim])) print.result(line);
    if (runs.length > MAX_LISTED) print.talk(`and ${runs.length - MAX_LISTED} older ones`);
  }
  return 0;
}

import { columns } from "../../channel/columns.ts";
import { visible } from "../../errors.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { journalFolder } from "../../journal/journal.ts";
import { readRun, recordedRuns } from "../../journal/record.ts";
import { quote } from "../../shell/quote.ts";
import { knownWord, readArguments, takeWords, usage } from "../arguments.ts";
import { tellThree } from "../failure.ts";
import { journalLines } from "../journal-text.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  list: { type: "boolean" },
} as const;

/** The most runs that `--list` looks into. */
const MOST_LISTED = 50;

/** Shows what was recorded of one run, the latest by default, or lists the runs. */
export async function journal(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("journal", args, OPTIONS);
  const { json = false, list = false } = values;
  takeWords("journal", positionals, ["show", "RUN"], list ? 0 : 1);
  if (positionals[0] !== undefined) knownWord("journal", "action", positionals[0], ["show"]);
  const host = thisHost();
  const runs = recordedRuns(journalFolder(host.stateFolder));
  if (list) return showRuns(host, runs, json, print);
  const run = runNamed(runs, positionals[1]);
  const { events, problem } = readRun(journalFolder(host.stateFolder), run);
  if (json) for (const event of events) print.json(event, 0);
  else for (const line of journalLines(events, print.ink)) print.result(line);
  if (problem !== null)
    tellThree(
      print,
      `the record of run ${visible(run)} ends here: ${problem}`,
      null,
      "the supervisor died, or the file was changed",
    );
  return 0;
}

/** A run by its id or the beginning of it, the latest when none is named. */
function runNamed(runs: readonly string[], named: string | undefined): string {
  const [latest] = runs;
  if (named === undefined) {
    if (latest === undefined)
      throw usage("journal", "nothing is recorded yet", "run something: `cofferdam run -- ls`");
    return latest;
  }
  const matching = runs.filter((run) => run.startsWith(named));
  const [only, ...others] = matching;
  if (only !== undefined && others.length === 0) return only;
  const what =
    only === undefined
      ? `there is no run ${visible(named)}`
      : `${matching.length} runs begin with ${visible(named)}`;
  throw usage("journal", what, "run `cofferdam journal --list`");
}

function showRuns(host: Host, runs: readonly string[], json: boolean, print: Print): number {
  const found = runs.slice(0, MOST_LISTED).map((run) => {
    const { events, problem } = readRun(journalFolder(host.stateFolder), run);
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
    if (runs.length > MOST_LISTED) print.talk(`and ${runs.length - MOST_LISTED} older ones`);
  }
  return 0;
}

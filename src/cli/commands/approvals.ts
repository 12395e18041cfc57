import { toEnvelope } from "../../approval/envelope.ts";
import { highlightedLines } from "../../channel/highlighted-lines.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import type { Desk } from "../../session/desk.ts";
import { requestNamed } from "../../session/kept-request.ts";
import type { StoredRequest } from "../../store/store.ts";
import { reachOf, SCOPED } from "../answer-reach.ts";
import { answeringDesk } from "../answering-desk.ts";
import { answerSelected, printedDecision } from "../approvals-answer.ts";
import { SELECTION_OPTIONS } from "../approvals-selection.ts";
import { eventLine, listRows, ownFirst, requestLines } from "../approvals-text.ts";
import { COMMON, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  ...SELECTION_OPTIONS,
  note: { type: "string" },
  session: { type: "boolean" },
  scope: { type: "string" },
  minutes: { type: "string" },
  times: { type: "string" },
} as const;

const ACTIONS = ["list", "show", "approve", "reject", "watch"] as const;

/** Lists, shows and answers pending requests of all processes. See `cofferdam approvals --help`. */
export async function approvals(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("approvals", args, OPTIONS);
  const { json = false, note, session = false } = values;
  const [word = "list", ...ids] = positionals;
  const action = knownWord("approvals", "action", word, ACTIONS);
  const isAnswer = action === "approve" || action === "reject";
  if (action === "show") parseWords("approvals show", ids, ["ID"]);
  else if (!isAnswer) parseWords("approvals", positionals, ["ACTION"], 0);
  const forAnswers = ["note", "session", ...Object.keys(SELECTION_OPTIONS)].find((name) => name in values);
  if (!isAnswer && forAnswers !== undefined)
    throw usage("approvals", `\`--${forAnswers}\` is only for answers`, "use it with `approve` or `reject`");
  const isScoped = Object.keys(values).some((key) => SCOPED.includes(key));
  if (isScoped && session && isAnswer)
    throw usage(
      "approvals",
      "`--session` cannot be combined with `--scope`, `--minutes` and `--times`",
      "use `--scope session` instead of `--session`",
    );
  if (isScoped && action !== "approve")
    throw usage(
      "approvals",
      "`--scope`, `--minutes` and `--times` are only for approvals",
      "use them with `approve`",
    );
  await using desk = await answeringDesk(values, print);
  switch (action) {
    case "list":
      return await list(desk, json, print);
    case "show":
      return await show(desk, await requestNamed(desk.broker, ids[0] ?? "", "pending"), json, print);
    case "approve":
    case "reject":
      return await answerSelected(
        desk,
        ids,
        values,
        { isYes: action === "approve", ...reachOf(values), note, json },
        print,
      );
    case "watch":
      return await untilSignalled(({ signal }) =>
        watch(desk, AbortSignal.any([signal, print.broken]), json, print),
      );
  }
}

async function list(desk: Desk, json: boolean, print: Print): Promise<number> {
  const { broker, host } = desk;
  const requests = await waitingAt(desk);
  if (json) print.json(requests);
  else if (requests.length === 0) print.talk("no unanswered requests");
  else
    for (const line of listRows(requests, await aliveRuns(broker, requests), host.now(), print))
      print.result(line);
  return 0;
}

/** Pending requests, those of the current project first. */
async function waitingAt({ broker, loaded }: Desk): Promise<readonly ApprovalRequest[]> {
  return ownFirst(await broker.pending(), loaded.config.workspace);
}

/** The runs among those of the requests whose process is alive. */
async function aliveRuns(
  broker: Desk["broker"],
  requests: readonly ApprovalRequest[],
): Promise<ReadonlySet<string>> {
  const runs = [...new Set(requests.map(({ runId }) => runId))];
  const alive = await Promise.all(runs.map((runId) => broker.isAlive(runId)));
  return new Set(runs.filter((_, index) => alive[index] === true));
}

async function show(
  { broker, host }: Desk,
  stored: StoredRequest,
  json: boolean,
  print: Print,
): Promise<number> {
  const presentation = await broker.present(stored.request.approvalId);
  if (json) {
    print.json({ ...stored, decision: printedDecision(stored.decision), presentation });
    return 0;
  }
  const look =
    presentation === null
      ? ({ kind: "failed" } as const)
      : ({ kind: "made", presentation, highlighted: await highlightedLines(presentation) } as const);
  for (const line of requestLines(stored, look, host.now(), print.ink)) print.result(line);
  return 0;
}

/** Prints pending requests, then each event as a line, until it is ended. */
async function watch(desk: Desk, signal: AbortSignal, json: boolean, print: Print): Promise<number> {
  const { broker, host } = desk;
  using _attending = await broker.attend();
  const after = await broker.lastSeq();
  const requests = await waitingAt(desk);
  const runs = await aliveRuns(broker, requests);
  if (!json) for (const line of listRows(requests, runs, host.now(), print)) print.result(line);
  for await (const event of broker.events({ runId: null, after, signal })) {
    if (json) print.json(toEnvelope(event), 0);
    else print.result(eventLine(event, print));
  }
  return 0;
}

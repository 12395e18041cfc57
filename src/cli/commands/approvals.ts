import { toEnvelope } from "../../approval/envelope.ts";
import { highlightedLines } from "../../channel/highlighted-lines.ts";
import { ERRORS, visible } from "../../errors.ts";
import type { Decision } from "../../policy/decision.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { createDesk, type Desk } from "../../session/desk.ts";
import { requestNamed } from "../../session/kept-request.ts";
import { withoutInput } from "../../store/edited.ts";
import type { StoredRequest } from "../../store/store.ts";
import { type GivenReach, isOfferedScope, reachOf, SCOPED } from "../answer-reach.ts";
import { eventLine, listRows, ownFirst, projectOf, requestLines } from "../approvals-text.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { untilSignalled } from "../ending.ts";
import { reportThree } from "../failure.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
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
  const { json = false, note } = values;
  const [word = "list", named] = positionals;
  const action = knownWord("approvals", "action", word, ACTIONS);
  const takesId = action !== "list" && action !== "watch";
  if (takesId) parseWords(`approvals ${action}`, positionals.slice(1), ["ID"]);
  else parseWords("approvals", positionals, ["ACTION"], 0);
  const isAnswer = action === "approve" || action === "reject";
  if (!isAnswer && note !== undefined)
    throw usage("approvals", "`--note` is only for answers", "use it with `approve` or `reject`");
  const isScoped = Object.keys(values).some((key) => SCOPED.includes(key));
  if (isScoped && (action !== "approve" || values.session === true))
    throw usage(
      "approvals",
      "`--scope`, `--minutes` and `--times` are only for approvals",
      "use them with `approve`",
    );
  if (!isAnswer && values.session === true)
    throw usage("approvals", "`--session` is only for answers", "use it with `approve` or `reject`");
  await using desk = await createDesk(chosen(values));
  switch (action) {
    case "list":
      return await list(desk, json, print);
    case "show":
      return await show(desk, await requestNamed(desk.broker, named ?? "", "pending"), json, print);
    case "approve":
    case "reject":
      return await answer(
        desk,
        await requestNamed(desk.broker, named ?? "", "pending"),
        { isYes: action === "approve", ...reachOf(values), note },
        json,
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

/** A decision without its input, which may contain a secret; only reports that there is one. */
function printedDecision(decision: Decision | null) {
  if (decision?.status !== "approved") return decision;
  return { ...withoutInput(decision), isEdited: decision.editedInput !== undefined };
}

interface Given extends GivenReach {
  readonly isYes: boolean;
  readonly note: string | undefined;
}

async function answer(
  { broker, host, loaded }: Desk,
  { request, status }: StoredRequest,
  { isYes, scope, limits, note }: Given,
  json: boolean,
  print: Print,
): Promise<number> {
  const { approvalId } = request;
  if (isYes && !isOfferedScope(request, scope))
    throw usage(
      "approvals",
      `this request cannot be approved with the scope ${scope}`,
      "see `cofferdam approvals show`",
    );
  const lasting = scope === "once" ? {} : { lasts: "session" as const };
  const isElsewhere = request.project !== loaded.config.workspace;
  if (isElsewhere) print.talk(`cofferdam: this request is from another project: ${projectOf(request)}`);
  const by = host.user.name;
  const said = note === undefined ? {} : { note };
  const resolution =
    status === "pending"
      ? await broker.respond(
          approvalId,
          isYes
            ? { approved: true, scope, limits, by, ...said }
            : { approved: false, by, ...lasting, ...said },
          by,
        )
      : status === "expired"
        ? "expired"
        : "duplicate";
  const stored = await broker.find(approvalId);
  if (json)
    print.json({
      resolution,
      status: stored?.status ?? null,
      project: request.project ?? null,
      decision: printedDecision(stored?.decision ?? null),
    });
  if (resolution === "accepted") {
    if (!json)
      print.result(
        `${isYes ? print.ink.good("approved") : "rejected"}: ${visible(request.tool)} ${visible(request.description)}${isElsewhere ? `, in ${projectOf(request)}` : ""}`,
      );
    if (isYes && !json && !(await isTaken(broker, approvalId)))
      print.talk(
        `no process waits for this answer: run the call with \`cofferdam resume ${approvalId.slice(0, 8)}\``,
      );
    return 0;
  }
  const who =
    stored?.decision !== null && stored?.decision !== undefined && "by" in stored.decision
      ? stored.decision.by
      : null;
  const what =
    resolution === "expired"
      ? "the request had expired"
      : who === null
        ? "the request has an answer already"
        : `${visible(who)} had answered already`;
  reportThree(
    print,
    `this answer came too late: ${what}`,
    null,
    `run \`cofferdam approvals show ${approvalId}\``,
  );
  return ERRORS.APPROVAL_DENIED.exit;
}

/** Time in which a call that waits takes its answer. */
const TAKEN_WITHIN_MS = 1_000;

async function isTaken(broker: Desk["broker"], approvalId: string): Promise<boolean> {
  for (const until = performance.now() + TAKEN_WITHIN_MS; performance.now() < until; ) {
    if ((await broker.find(approvalId))?.status !== "approved") return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
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

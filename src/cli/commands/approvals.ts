import { toEnvelope } from "../../approval/envelope.ts";
import { highlightedLines } from "../../channel/highlighted-lines.ts";
import { ERRORS, visible } from "../../errors.ts";
import type { Decision } from "../../policy/decision.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import { withoutInput } from "../../store/edited.ts";
import type { StoredRequest } from "../../store/store.ts";
import { createDesk, type Desk } from "../../supervisor/desk.ts";
import { eventLine, listRows, ownFirst, projectOf, requestLines } from "../approvals-text.ts";
import { COMMON, chosen, knownWord, readArguments, takeWords, usage } from "../arguments.ts";
import { untilSignalled } from "../ending.ts";
import { tellThree } from "../failure.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  note: { type: "string" },
  session: { type: "boolean" },
} as const;

const ACTIONS = ["list", "show", "approve", "reject", "watch"] as const;

/** Lists, shows and answers what waits, whichever process asked it. See `cofferdam approvals --help`. */
export async function approvals(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("approvals", args, OPTIONS);
  const { json = false, note, session = false } = values;
  const [word = "list", named] = positionals;
  const action = knownWord("approvals", "action", word, ACTIONS);
  const takesId = action !== "list" && action !== "watch";
  takeWords("approvals", positionals, ["ACTION", ...(takesId ? ["ID"] : [])], takesId ? 2 : 0);
  const isAnswer = action === "approve" || action === "reject";
  if (!isAnswer && note !== undefined)
    throw usage("approvals", "`--note` goes with an answer", "use it with `approve` or `reject`");
  if (action !== "approve" && session)
    throw usage("approvals", "`--session` goes with a yes", "use it with `approve`");
  await using desk = await createDesk(chosen(values));
  switch (action) {
    case "list":
      return await list(desk, json, print);
    case "show":
      return await show(desk, await requestNamed(desk, named ?? ""), json, print);
    case "approve":
    case "reject":
      return await answer(
        desk,
        await requestNamed(desk, named ?? ""),
        { isYes: action === "approve", session, note },
        json,
        print,
      );
    case "watch":
      return await untilSignalled(({ signal }) =>
        watch(desk, AbortSignal.any([signal, print.broken]), json, print),
      );
  }
}

/** A request that waits by its id or the beginning of it; one that is over by its whole id. Throws `USAGE`. */
async function requestNamed({ broker }: Desk, named: string): Promise<StoredRequest> {
  const waiting = (await broker.pending()).filter(({ approvalId }) => approvalId.startsWith(named));
  const [only, ...others] = named === "" ? [] : waiting;
  const found = await broker.find(others.length === 0 ? (only?.approvalId ?? named) : named);
  if (found !== null) return found;
  const what =
    others.length === 0
      ? `there is no request ${visible(named)}`
      : `${waiting.length} requests begin with ${visible(named)}`;
  throw usage("approvals", what, "run `cofferdam approvals list`");
}

async function list(desk: Desk, json: boolean, print: Print): Promise<number> {
  const { broker, host } = desk;
  const requests = await waitingAt(desk);
  if (json) print.json(requests);
  else if (requests.length === 0) print.talk("nothing waits for an answer");
  else
    for (const line of listRows(requests, await aliveRuns(broker, requests), host.now(), print))
      print.result(line);
  return 0;
}

/** What waits, that of the project here first. */
async function waitingAt({ broker, loaded }: Desk): Promise<readonly ApprovalRequest[]> {
  return ownFirst(await broker.pending(), loaded.config.workspace);
}

/** Which of their runs are still there. */
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
    print.json({ ...stored, decision: toldOf(stored.decision), presentation });
    return 0;
  }
  const look =
    presentation === null
      ? ({ kind: "failed" } as const)
      : ({ kind: "made", presentation, highlighted: await highlightedLines(presentation) } as const);
  for (const line of requestLines(stored, look, host.now(), print.ink)) print.result(line);
  return 0;
}

/** A decision without the input that it brings, which may hold a secret: that it brings one. */
function toldOf(decision: Decision | null) {
  if (decision?.status !== "approved") return decision;
  return { ...withoutInput(decision), isEdited: decision.editedInput !== undefined };
}

interface Given {
  readonly isYes: boolean;
  readonly session: boolean;
  readonly note: string | undefined;
}

async function answer(
  { broker, host, loaded }: Desk,
  { request, status }: StoredRequest,
  { isYes, session, note }: Given,
  json: boolean,
  print: Print,
): Promise<number> {
  const { approvalId, covers } = request;
  if (session && covers === null)
    throw usage("approvals", "a yes to this can't be for the session", "leave out `--session`");
  const isElsewhere = request.project !== loaded.config.workspace;
  if (isElsewhere)
    print.talk(`cofferdam: this request is not of the project here, but of ${projectOf(request)}`);
  const by = host.user.name;
  const said = note === undefined ? {} : { note };
  const resolution =
    status === "pending"
      ? await broker.respond(
          approvalId,
          { approved: isYes, scope: session ? "session" : "once", by, ...said },
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
      decision: toldOf(stored?.decision ?? null),
    });
  if (resolution === "accepted") {
    if (!json)
      print.result(
        `${isYes ? print.ink.good("approved") : "rejected"}: ${visible(request.tool)} ${visible(request.description)}${isElsewhere ? `, of ${projectOf(request)}` : ""}`,
      );
    if (isYes && !json && !(await isTaken(broker, approvalId)))
      print.talk(`nobody has taken it so far: run it with \`cofferdam resume ${approvalId}\``);
    return 0;
  }
  const who =
    stored?.decision !== null && stored?.decision !== undefined && "by" in stored.decision
      ? stored.decision.by
      : null;
  const what =
    resolution === "expired"
      ? "nobody had answered in time"
      : `${who === null ? "it" : visible(who)} had answered already`;
  tellThree(
    print,
    `this answer counts for nothing: ${what}`,
    null,
    `see \`cofferdam approvals show ${approvalId}\``,
  );
  return ERRORS.APPROVAL_DENIED.exit;
}

/** A call that stands still for its answer takes it at once. */
const TAKEN_WITHIN_MS = 1_000;

async function isTaken(broker: Desk["broker"], approvalId: string): Promise<boolean> {
  for (const until = performance.now() + TAKEN_WITHIN_MS; performance.now() < until; ) {
    if ((await broker.find(approvalId))?.status !== "approved") return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** What waits, and then what happens, a line each, until it is told to end. */
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

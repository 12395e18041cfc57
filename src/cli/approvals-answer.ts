import { confirmAtTerminal } from "../channel/confirm-at-terminal.ts";
import { toolNames } from "../decide/tool-cards.ts";
import { ERRORS, visible } from "../errors.ts";
import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { whyNotOffered } from "../policy/why-not-offered.ts";
import type { Desk } from "../session/desk.ts";
import { withoutInput } from "../store/edited.ts";
import type { Resolution, StoredRequest } from "../store/store.ts";
import type { GivenReach } from "./answer-reach.ts";
import { keptInWords, reachInWords } from "./answer-text.ts";
import { type SelectedRequests, type SelectionValues, selectRequests } from "./approvals-selection.ts";
import { briefLines, projectOf } from "./approvals-text.ts";
import { usage } from "./arguments.ts";
import { listenForEnding } from "./ending.ts";
import { reportThree } from "./failure.ts";
import type { Print } from "./print.ts";

/** An answer to one or more requests, as typed. */
export interface TypedAnswer extends GivenReach {
  readonly isYes: boolean;
  readonly note: string | undefined;
  readonly json: boolean;
}

/** The result of an answer to one request. */
interface AnsweredRequest {
  readonly resolution: Resolution;
  readonly before: StoredRequest;
  readonly now: StoredRequest | null;
}

/** Answers the selected requests, each by itself; returns the exit status. */
export async function answerSelected(
  desk: Desk,
  ids: readonly string[],
  values: SelectionValues,
  answer: TypedAnswer,
  print: Print,
): Promise<number> {
  const selected = await selectRequests(desk, ids, values);
  const { requests, areNamed, elsewhere } = selected;
  if (elsewhere > 0)
    print.talk(
      `${elsewhere === 1 ? "1 request of another project is" : `${elsewhere} requests of other projects are`} left out: add \`--all-projects\` for all of them`,
    );
  if (requests.length === 0) {
    if (answer.json) print.json([]);
    else print.talk("no unanswered requests");
    return 0;
  }
  if (answer.isYes) for (const { request } of requests) assertOffered(request, answer, values);
  if (!areNamed && values.yes !== true) {
    const stop = await confirm(selected, answer, print);
    if (stop !== null) return stop;
  }
  const isSingle = areNamed && requests.length === 1;
  const answered: AnsweredRequest[] = [];
  for (const stored of requests) {
    const one = await answerOne(desk, stored, answer);
    answered.push(one);
    if (!answer.json) await report(desk, one, answer, isSingle, print);
  }
  if (answer.json) {
    const printed = answered.map(answeredJson);
    print.json(isSingle ? printed[0] : printed);
  } else if (answer.isYes) {
    await reportUnclaimed(desk, answered, print);
    if (answer.scope === "project") reportKept(desk, answered, print);
  }
  const isLate = answered.some(({ resolution }) => resolution !== "accepted");
  if (isLate && answer.json)
    for (const one of answered) if (one.resolution !== "accepted") reportLate(one, print);
  return isLate ? ERRORS.APPROVAL_DENIED.exit : 0;
}

const SHORT = 8;

/** Throws `USAGE`, with the reason, if a request offers no approval as far as the person named. */
function assertOffered(
  request: ApprovalRequest,
  { scope }: TypedAnswer,
  values: SelectionValues & { readonly scope?: string | undefined },
): void {
  const why = whyNotOffered(request, scope);
  if (why === null) return;
  const id = request.approvalId.slice(0, SHORT);
  const named = ["scope", "session", "minutes", "times"].find((name) => name in values) ?? "scope";
  const as = named === "scope" ? `the scope ${scope}` : `\`--${named}\``;
  throw usage(
    "approvals",
    `request ${id} cannot be approved with ${as}: ${why}`,
    `see \`cofferdam approvals show ${id}\``,
  );
}

/** Shows the requests and asks the person. Null to go on, else the exit status. */
async function confirm(
  { requests }: SelectedRequests,
  { isYes, json }: TypedAnswer,
  print: Print,
): Promise<number | null> {
  if (json) throw usage("approvals", "`--json` cannot ask for confirmation", "add `--yes`, or name the IDs");
  const rows = requests.flatMap(({ request }) => [...briefLines(request, print.ink), ""]);
  using ending = listenForEnding();
  const what = requests.length === 1 ? "this request" : `these ${requests.length} requests`;
  const prompt = `cofferdam: ${isYes ? "approve" : "reject"} ${what}?`;
  const said = await confirmAtTerminal(rows.map((row) => `${row}\n`).join(""), prompt, ending.signal);
  const ended = ending.status();
  if (ended !== null) return ended;
  if (said === true) return null;
  if (said === null)
    throw usage(
      "approvals",
      "there is no terminal to confirm on",
      "review the requests with `cofferdam approvals list`, then add `--yes`, or name the IDs",
    );
  print.talk("nothing was answered");
  return ERRORS.DENIED.exit;
}

async function answerOne(
  { broker, host }: Desk,
  before: StoredRequest,
  { isYes, scope, limits, note }: TypedAnswer,
): Promise<AnsweredRequest> {
  const { request, status } = before;
  const { approvalId } = request;
  const by = host.user.name;
  const said = note === undefined ? {} : { note };
  const resolution =
    status === "pending"
      ? await broker.respond(
          approvalId,
          isYes
            ? { approved: true, scope, limits, by, ...said }
            : { approved: false, by, ...(scope === "once" ? {} : { lasts: "session" as const }), ...said },
          by,
        )
      : status === "expired"
        ? "expired"
        : "duplicate";
  return { resolution, before, now: await broker.find(approvalId) };
}

function answeredJson({ resolution, before, now }: AnsweredRequest) {
  return {
    approvalId: before.request.approvalId,
    resolution,
    status: now?.status ?? null,
    project: before.request.project ?? null,
    decision: printedDecision(now?.decision ?? null),
  };
}

/** A decision without its input, which may contain a secret; only reports that there is one. */
export function printedDecision(decision: Decision | null) {
  if (decision?.status !== "approved") return decision;
  return { ...withoutInput(decision), isEdited: decision.editedInput !== undefined };
}

async function report(
  { loaded, broker }: Desk,
  one: AnsweredRequest,
  answer: TypedAnswer,
  isSingle: boolean,
  print: Print,
): Promise<void> {
  const { request } = one.before;
  const { approvalId, tool, description, project } = request;
  const isElsewhere = project !== loaded.config.workspace;
  if (isElsewhere && isSingle)
    print.talk(`cofferdam: this request is from another project: ${projectOf(request)}`);
  if (one.resolution !== "accepted") {
    reportLate(one, print);
    return;
  }
  const which = isSingle ? "" : `${approvalId.slice(0, SHORT)}  `;
  const done = answer.isYes ? print.ink.good("approved") : "rejected";
  const where = isElsewhere ? `, in ${projectOf(request)}` : "";
  print.result(`${which}${done}: ${visible(tool)} ${visible(description)}${where}`);
  const isGone = request.waits === false && !(await broker.isAlive(request.runId));
  const reach = reachInWords(request, answer, isGone);
  if (reach !== null) print.result(`  ${reach}`);
}

/** Names the rules that the answered calls have kept by now. */
function reportKept(desk: Desk, answered: readonly AnsweredRequest[], print: Print): void {
  for (const { resolution, before } of answered) {
    if (resolution !== "accepted") continue;
    const kept = keptInWords(desk, before.request);
    print.result(`  ${kept ?? "the rule is kept when the call runs: see `cofferdam rules list`"}`);
  }
}

function reportLate({ resolution, before, now }: AnsweredRequest, print: Print): void {
  const { approvalId } = before.request;
  const decision = now?.decision ?? null;
  const who = decision !== null && "by" in decision ? decision.by : null;
  const what =
    resolution === "expired"
      ? "the request had expired"
      : who === null
        ? "the request has an answer already"
        : `${visible(who)} had answered already`;
  const hint = `run \`cofferdam approvals show ${approvalId.slice(0, SHORT)}\``;
  reportThree(print, `this answer came too late: ${what}`, null, hint);
}

/** Time in which a call that waits takes its answer. */
const TAKEN_WITHIN_MS = 1_000;
/** The tools that `cofferdam resume` has. */
const OWN_TOOLS: ReadonlySet<string> = new Set([...toolNames([]), "web_fetch", "web_fetch_add_domain"]);

/** Says how the approved calls can be run that no process has started. */
async function reportUnclaimed(
  { broker }: Desk,
  answered: readonly AnsweredRequest[],
  print: Print,
): Promise<void> {
  const open = new Set(
    answered.flatMap(({ resolution, before }) => (resolution === "accepted" ? [before.request] : [])),
  );
  for (const until = performance.now() + TAKEN_WITHIN_MS; open.size > 0 && performance.now() < until; ) {
    for (const request of open)
      if ((await broker.find(request.approvalId))?.status !== "approved") open.delete(request);
    if (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const { approvalId, tool } of open) {
    const isResumable = OWN_TOOLS.has(tool) && (await broker.callOf(approvalId)) !== null;
    print.talk(
      isResumable
        ? `no process waits for this answer: run the call with \`cofferdam resume ${approvalId.slice(0, SHORT)}\``
        : `no process waits for this answer: only the program that asked can make the call ${approvalId.slice(0, SHORT)} again`,
    );
  }
}

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { StoredRequest } from "../store/store.ts";
import { rejected } from "./factories.ts";
import type { Asker, Question } from "./question.ts";
import type { GateOptions, PutOptions, Questions } from "./questions.ts";
import { ASK_AGAIN, denied, NOBODY, type Stop, stopOf } from "./stops.ts";

/**
 * What stands between a call and its run. `allowed`: nobody has to be asked. `approved`: somebody has said yes to exactly
 * this call, and it runs once where it is made under that id. `pending`: it is kept as a question, which anybody who may can
 * answer by its id. `denied`: it will not run.
 */
export type Clearance =
  | { readonly kind: "allowed" }
  | { readonly kind: "approved"; readonly approvalId: string }
  | Stop;

/** For which call of whose a clearance is. */
export interface ClearOptions extends PutOptions {
  /** What the caller's own framework calls this call: under it the question is found again, in whatever process. */
  readonly toolCallId: string | null;
  /** False: what was asked before is found, and nothing is asked anew. */
  readonly mayAsk: boolean;
  /** No other call ever has this name: then a no to it stays one. Where others may, another one like it is asked about. */
  readonly isUnique: boolean;
}

/** Whether a call that rules neither let pass nor deny may be made. Throws where the store can't be reached. */
export async function clearanceByPeople(
  asker: Asker,
  asked: Question,
  gate: Pick<GateOptions, "broker" | "host" | "wait">,
  questions: Questions,
  options: ClearOptions,
): Promise<Clearance> {
  const { toolCallId, mayAsk: _, isUnique: __, ...put } = options;
  if (toolCallId === null) return questions.leaveOpen(asker, asked, { ...put, approvalId: gate.host.id() });
  return questions.inTurn(toolCallId, () => named(asker, asked, gate, questions, { ...options, toolCallId }));
}

/** Nobody has to answer any more what was asked about a call that rules let pass by now. */
export async function putAway(
  asker: Asker,
  asked: Question,
  { broker }: Pick<GateOptions, "broker">,
  { toolCallId }: Pick<ClearOptions, "toolCallId">,
): Promise<void> {
  if (toolCallId === null) return;
  const { last } = await lastQuestion(asker, asked, toolCallId, (id) => broker.find(id));
  if (last?.status !== "pending") return;
  const no = rejected(NOBODY, "the rules let it pass by now, and nobody is asked any more");
  await broker.respond(last.request.approvalId, no, NOBODY);
}

async function named(
  asker: Asker,
  asked: Question,
  { broker, wait }: Pick<GateOptions, "broker" | "wait">,
  questions: Questions,
  { toolCallId, mayAsk, isUnique, ...put }: ClearOptions & { readonly toolCallId: string },
): Promise<Clearance> {
  const look = () => lastQuestion(asker, asked, toolCallId, (id) => broker.find(id));
  const { last, free } = await look();
  if (last !== null && (isOpen(last) || (isUnique && isRefused(last)))) return standOf(last, wait.onTimeout);
  if (!mayAsk) return last === null ? CHANGED : standOf(last, wait.onTimeout);
  try {
    return await questions.leaveOpen(asker, asked, { ...put, approvalId: free });
  } catch (cause) {
    // Another session, or another process, asks the same at the same time: its question is this one, once it is kept.
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const again = await look();
      if (again.last !== null && isOpen(again.last)) return standOf(again.last, wait.onTimeout);
      await pause(PAUSE_MS);
    }
    throw cause;
  }
}

/** So often, and so many milliseconds apart, a question is looked for that somebody else is keeping. */
const MOST_TRIES = 50;
const PAUSE_MS = 10;

const CHANGED = denied(
  "APPROVAL_DENIED",
  "no question was asked about exactly this call: what it is about has changed since, or nobody was asked",
  ASK_AGAIN,
);

/**
 * The last question about exactly this call, and the id that the next one has. They are numbered without a gap, and one is
 * asked when the one before it is over: so the last is found without looking at all of them.
 */
async function lastQuestion(
  asker: Asker,
  asked: Question,
  toolCallId: string,
  find: (approvalId: string) => Promise<StoredRequest | null>,
): Promise<{ readonly last: StoredRequest | null; readonly free: string }> {
  const id = (count: number): string => idFor(asker, asked.argsHash, toolCallId, count);
  let last: StoredRequest | null = null;
  let [from, step] = [0, 1];
  // Steps that double until there is none, and from there back by halves: `from` is the first that is not known to be there.
  for (;;) {
    const found = await find(id(from + step - 1));
    if (found === null) break;
    last = found;
    from += step;
    step *= 2;
  }
  for (step = Math.floor(step / 2); step > 0; step = Math.floor(step / 2)) {
    const found = await find(id(from + step - 1));
    if (found === null) continue;
    last = found;
    from += step;
  }
  return { last, free: id(from) };
}

/**
 * The id of a question that has a name outside: it follows from what is asked, so that every process finds it, and another
 * call never does, whatever it is called. In the form of a UUID of one's own making (RFC 9562, version 8).
 */
function idFor({ tool, agent }: Asker, argsHash: string, toolCallId: string, count: number): string {
  const of = JSON.stringify([tool, agent, argsHash, toolCallId, count]);
  const hex = createHash("sha256").update(of).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function isOpen({ status }: StoredRequest): boolean {
  return status === "pending" || status === "approved";
}

/** Somebody said no, or nobody answered in time. One that was only put away was answered by nobody. */
function isRefused({ status, decision }: StoredRequest): boolean {
  return status === "expired" || (decision?.status === "rejected" && decision.by !== NOBODY);
}

function standOf(stored: StoredRequest, onTimeout: GateOptions["wait"]["onTimeout"]): Clearance {
  return stopOf(stored, onTimeout) ?? { kind: "approved", approvalId: stored.request.approvalId };
}

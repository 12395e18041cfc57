import { thrownText } from "../../errors.ts";
import type { Settled } from "../../host/launch/quarantine/quarantine.ts";
import { isHeld, type QuarantineRecord } from "../../host/launch/quarantine/record.ts";
import type { AfterCall, Asks } from "./after-call.ts";
import { keepQuestion } from "./keep-question.ts";

/** The approver (null without approval), and reasons for items that could not be restored or asked about. */
export interface KeepAnswer {
  readonly by: string | null;
  readonly problems: ReadonlyMap<string, string>;
}

const NOT_KEPT: KeepAnswer = { by: null, problems: new Map() };

/** The maximum of items that one event names; the quarantine's own record names all. */
export const MAX_LISTED = 100;

/** Asks a person about a quarantine. Items that fill several records are too many for a person to judge. */
export async function answerAbout(
  records: readonly QuarantineRecord[],
  call: AfterCall,
): Promise<KeepAnswer> {
  const { shared } = call;
  const [done, ...others] = records;
  const mayAsk = shared.appeared === "ask" && shared.policy.mode === "interactive";
  if (done === undefined || others.length > 0 || !mayAsk || !isWorthAsking(done, shared)) return NOT_KEPT;
  // Ending the call does not wait for a question.
  const asks = call.asks?.signal?.aborted === true ? null : call.asks;
  return asks === null ? NOT_KEPT : answerOf(done, call, asks);
}

/** False if no approval could restore anything, for example without a record. */
function isWorthAsking({ id, items }: QuarantineRecord, { quarantine }: AfterCall["shared"]): boolean {
  return items.some((item) => isHeld(item) && item.digest !== null) && quarantine.find(id) !== null;
}

/** If asking fails, everything is already taken away: the call keeps its own outcome. */
async function answerOf(done: QuarantineRecord, call: AfterCall, asks: Asks): Promise<KeepAnswer> {
  try {
    const by = await keepQuestion(done, call, asks);
    return by === null ? NOT_KEPT : await restored(done, by, call);
  } catch (cause) {
    const problem = `the request for approval failed: ${thrownText(cause)}`;
    return { by: null, problems: new Map(done.items.map(({ path }) => [path, problem])) };
  }
}

async function restored(
  done: QuarantineRecord,
  by: string,
  { shared, record }: AfterCall,
): Promise<KeepAnswer> {
  const { id, items } = done;
  const paths = items.slice(0, MAX_LISTED).map(({ path }) => path);
  record({ type: "call.restored", quarantineId: id, paths, more: items.length - paths.length, by });
  const settled = await restoredOrNot(id, shared);
  // An item may have been restored or removed while the request was open.
  const now = new Map(shared.quarantine.find(id)?.items.map(({ path, state }) => [path, state]));
  const why = new Map(settled.map(({ path, problem }) => [path, problem]));
  const problems = items
    .filter((item) => isHeld(item) && now.get(item.path) !== "kept")
    .map(({ path }) => [path, why.get(path) ?? "it is no longer in the quarantine"] as const);
  return { by, problems: new Map(problems) };
}

/** Restores nothing while another process keeps the quarantine busy, nor items that a fault holds back. */
async function restoredOrNot(id: string, { quarantine }: AfterCall["shared"]): Promise<readonly Settled[]> {
  try {
    return await quarantine.restore(id);
  } catch (cause) {
    return quarantine.find(id)?.items.map(({ path }) => ({ path, problem: thrownText(cause) })) ?? [];
  }
}

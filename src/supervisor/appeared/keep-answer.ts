import { thrownText } from "../../errors.ts";
import type { Settled } from "../../host/quarantine/quarantine.ts";
import { isHeld, type QuarantineRecord } from "../../host/quarantine/record.ts";
import type { AfterCall, Asks } from "./after-call.ts";
import { keepQuestion } from "./keep-question.ts";

/** Who said yes, null where nobody did, and what of it could not be given back, or asked about, and why. */
export interface KeepAnswer {
  readonly by: string | null;
  readonly problems: ReadonlyMap<string, string>;
}

const NOT_KEPT: KeepAnswer = { by: null, problems: new Map() };

/** The most things that one event names; the quarantine's own record names all. */
export const MAX_TOLD = 100;

/** What a person says. Nobody can judge so many things that they are several records. */
export async function answerAbout(
  records: readonly QuarantineRecord[],
  call: AfterCall,
): Promise<KeepAnswer> {
  const { shared } = call;
  const [done, ...others] = records;
  const mayAsk = shared.appeared === "ask" && shared.standing.mode === "interactive";
  if (done === undefined || others.length > 0 || !mayAsk || !isWorthAsking(done, shared)) return NOT_KEPT;
  // Who ended the call waits for its end, and for no question.
  const asks = call.asks?.signal?.aborted === true ? null : call.asks;
  return asks === null ? NOT_KEPT : answerOf(done, call, asks);
}

/** Nobody can say yes to what can't be given back, as what no record could be written of. */
function isWorthAsking({ id, items }: QuarantineRecord, { quarantine }: AfterCall["shared"]): boolean {
  return items.some((item) => isHeld(item) && item.digest !== null) && quarantine.find(id) !== null;
}

/** Whatever fails while somebody is asked, all of it is away by then: the call has its own outcome. */
async function answerOf(done: QuarantineRecord, call: AfterCall, asks: Asks): Promise<KeepAnswer> {
  try {
    const by = await keepQuestion(done, call, asks);
    return by === null ? NOT_KEPT : await restored(done, by, call);
  } catch (cause) {
    const problem = `the question failed: ${thrownText(cause)}`;
    return { by: null, problems: new Map(done.items.map(({ path }) => [path, problem])) };
  }
}

async function restored(
  done: QuarantineRecord,
  by: string,
  { shared, record }: AfterCall,
): Promise<KeepAnswer> {
  const { id, items } = done;
  const paths = items.slice(0, MAX_TOLD).map(({ path }) => path);
  record({ type: "call.restored", quarantineId: id, paths, more: items.length - paths.length, by });
  const settled = await restoredOrNot(id, shared);
  // Somebody may have given it back, or removed it, while the question was open.
  const now = new Map(shared.quarantine.find(id)?.items.map(({ path, state }) => [path, state]));
  const why = new Map(settled.map(({ path, problem }) => [path, problem]));
  const problems = items
    .filter((item) => isHeld(item) && now.get(item.path) !== "kept")
    .map(({ path }) => [path, why.get(path) ?? "it is not held any more"] as const);
  return { by, problems: new Map(problems) };
}

/** Nothing is given back while somebody else keeps the quarantine for long, as to give back much, nor what a fault keeps. */
async function restoredOrNot(id: string, { quarantine }: AfterCall["shared"]): Promise<readonly Settled[]> {
  try {
    return await quarantine.restore(id);
  } catch (cause) {
    return quarantine.find(id)?.items.map(({ path }) => ({ path, problem: thrownText(cause) })) ?? [];
  }
}

import { createHash } from "node:crypto";
import type { StoredRequest } from "../store/store.ts";
import type { Broker } from "./broker.ts";
import type { Approval, CallIdentity, GateStop } from "./gate-result.ts";
import { approvalOf } from "./not-run.ts";
import type { Wait } from "./wait.ts";

/** A call under the name that its caller's framework gives it. */
export interface NumberedCall extends Pick<CallIdentity, "tool" | "agent"> {
  readonly argsHash: string;
  readonly toolCallId: string;
}

/** The last request of a call with its state, and the id of the next one. */
export interface LastRequest {
  readonly last: StoredRequest | null;
  readonly state: Approval | GateStop | null;
  readonly nextId: string;
}

/** The last request of a call, and the next id. Numbers have no gaps: doubling steps and bisection find the last. */
export async function lastRequest(
  broker: Pick<Broker, "find">,
  call: NumberedCall,
  onTimeout: Wait["onTimeout"],
): Promise<LastRequest> {
  const found: { last: StoredRequest | null; count: number } = { last: null, count: 0 };
  const advance = async (step: number): Promise<boolean> => {
    const next = await broker.find(idOf(call, found.count + step - 1));
    if (next !== null) Object.assign(found, { last: next, count: found.count + step });
    return next !== null;
  };
  let step = 1;
  while (await advance(step)) step *= 2;
  for (step = Math.floor(step / 2); step > 0; step = Math.floor(step / 2)) await advance(step);
  const { last, count } = found;
  return { last, state: last && approvalOf(last, onTimeout), nextId: idOf(call, count) };
}

/** An id derived from the call, so that every process finds it: a UUID of our own form (RFC 9562, version 8). */
function idOf({ tool, agent, argsHash, toolCallId }: NumberedCall, count: number): string {
  const of = JSON.stringify([tool, agent, argsHash, toolCallId, count]);
  const hex = createHash("sha256").update(of).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

import { createHash } from "node:crypto";
import type { StoredRequest } from "../store/store.ts";
import type { Broker } from "./broker.ts";
import type { CallIdentity, DecidedCall } from "./gate-result.ts";

/** The requests about one call that a framework repeats, found by any process under the framework's id. */
export interface CallRequests {
  /** The last one, if it is about the call as it is now. */
  readonly same: StoredRequest | null;
  /** The last one, if the call has changed since. */
  readonly other: StoredRequest | null;
  /** The id of the next request about the call. */
  readonly nextId: string;
}

/** Finds the last request about a call. Numbers have no gaps: doubling steps and bisection find it. */
export async function requestsOf(
  broker: Pick<Broker, "find">,
  call: CallIdentity,
  { argsHash, bound }: Pick<DecidedCall, "argsHash" | "bound">,
  toolCallId: string,
): Promise<CallRequests> {
  const idOf = (count: number): string => requestId(call, bound?.key ?? argsHash, toolCallId, count);
  const found: { last: StoredRequest | null; count: number } = { last: null, count: 0 };
  const advance = async (step: number): Promise<boolean> => {
    const next = await broker.find(idOf(found.count + step - 1));
    if (next !== null) Object.assign(found, { last: next, count: found.count + step });
    return next !== null;
  };
  let step = 1;
  while (await advance(step)) step *= 2;
  for (step = Math.floor(step / 2); step > 0; step = Math.floor(step / 2)) await advance(step);
  const isSame = found.last?.request.argsHash === argsHash;
  const [same, other] = isSame ? [found.last, null] : [null, found.last];
  return { same, other, nextId: idOf(found.count) };
}

/** An id derived from the call, so that every process finds it: a UUID of our own form (RFC 9562, version 8). */
function requestId({ tool, agent }: CallIdentity, key: string, name: string, count: number): string {
  const of = JSON.stringify([tool, agent, key, name, count]);
  const hex = createHash("sha256").update(of).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

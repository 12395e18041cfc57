import type { Host } from "../host/look/host.ts";
import type { CallLog } from "../journal/call-log.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { EarlierRequest } from "../policy/request.ts";
import type { Broker } from "./broker.ts";
import type { DecidedCall } from "./gate-result.ts";
import type { ApprovalHandler } from "./handler.ts";
import type { PendingBounds } from "./pending-request.ts";
import type { SessionReviewer } from "./reviewer.ts";
import type { Wait } from "./wait.ts";

/** Handlers, waiting times, session and limits of a gate. */
export interface GateOptions extends PendingBounds {
  readonly broker: Broker;
  readonly host: Pick<Host, "now" | "id">;
  readonly runId: string;
  readonly sessionId: string;
  /** The folder by which people know the session's project. */
  readonly project: string;
  readonly handlers: readonly ApprovalHandler[];
  readonly wait: Wait;
  /** Sessions of one client are counted together; null counts each by itself. */
  readonly client: string | null;
  readonly sessionGrants: boolean;
  /** The program, service or function that may answer first. */
  readonly reviewer?: SessionReviewer | null;
  /** True if an approval may be kept for the project. */
  readonly keptRules?: boolean;
}

/** How one call is asked about. */
export interface CallRequestOptions {
  readonly signal: AbortSignal | null;
  readonly log: CallLog;
  /** The data for running the call later; null if only its caller can run it. */
  readonly call: KeptCall | null;
  /** The request before the call changed, which people are told of. */
  readonly earlier?: EarlierRequest | null;
  /** Decides the waiting call again, as a remembered answer may cover it by then. */
  readonly decideAgain?: () => Promise<DecidedCall>;
}

/** How one call is checked without waiting. */
export interface GateCheckOptions extends CallRequestOptions {
  /** The name that the caller's framework gives the call: any process finds its request by this name. */
  readonly toolCallId: string | null;
  /** False: only existing requests count. */
  readonly mayAsk: boolean;
  /** True if no other call ever has this name: a rejection of it is then final. */
  readonly isUnique: boolean;
}

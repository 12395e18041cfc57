import { RecentMap } from "../host/recent-map.ts";
import type { CallContext } from "./pipeline.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Shutdown } from "./shutdown.ts";
import type { SupervisorContext, SupervisorWatch } from "./supervisor-context.ts";

/** The parts that the calls of one session share. */
export interface SessionContext extends CallContext {
  /** The supervisor as the last look at its config found it. */
  readonly shared: SupervisorContext;
  readonly watch: SupervisorWatch;
  readonly options: SessionOptions;
  readonly shutdown: Shutdown;
  /** The calls, by `argsHash`, that ran without approval and were denied access that approval gives. */
  readonly deniedCalls: RecentMap<string, true>;
}

/** Maximum of calls of a session that are remembered as denied. */
const MAX_DENIED_CALLS = 1_000;

/** The denied calls of a new session. */
export function deniedCalls(): SessionContext["deniedCalls"] {
  return new RecentMap(MAX_DENIED_CALLS);
}

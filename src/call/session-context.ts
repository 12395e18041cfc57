import type { CallContext } from "./pipeline.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Shutdown } from "./shutdown.ts";
import type { SupervisorContext } from "./supervisor-context.ts";

/** The parts that the calls of one session share. */
export interface SessionContext extends CallContext {
  readonly shared: SupervisorContext;
  readonly options: SessionOptions;
  readonly shutdown: Shutdown;
}

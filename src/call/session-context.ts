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
}

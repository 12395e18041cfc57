import type { Gate } from "../approval/gate.ts";
import type { Ending } from "./ending.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Shared } from "./shared.ts";

/** What the calls of one session share. */
export interface Corridor {
  readonly shared: Shared;
  readonly options: SessionOptions;
  readonly sessionId: string;
  readonly gate: Gate;
  readonly ending: Ending;
}

import type { Gate } from "../../approval/gate.ts";
import type { EventBody } from "../../event/event.ts";
import type { Before } from "../../host/launch/appeared.ts";
import type { Planted, TakenFrom } from "../../host/launch/quarantine/quarantine.ts";
import type { CallLog } from "../../journal/call-log.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { SupervisorContext } from "../supervisor-context.ts";

/** The call after which files appeared, and how to ask people about them. */
export interface AfterCall {
  readonly shared: Pick<
    SupervisorContext,
    | "host"
    | "loaded"
    | "memory"
    | "quarantine"
    | "policy"
    | "appeared"
    | "executed"
    | "executedIn"
    | "sandbox"
    | "ledger"
  >;
  readonly from: TakenFrom;
  readonly profile: Profile;
  readonly before: Pick<Before, "hits" | "repositories" | "treeStates">;
  /** Start of the call, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly record: (body: EventBody) => void;
  /** Files approved with exactly this call, each with its expected content. */
  readonly agreed: readonly Agreed[];
  /** True for a path made only after the call had ended: it stays, because the call did not make it. */
  readonly isMadeSince?: (path: AbsolutePath) => boolean;
  /** How to ask about it; null if no one is asked. */
  readonly asks: Asks | null;
  /** Called once nothing is live any more, before any question, which may take long. */
  readonly onTaken: () => void;
}

/** A file that hosts execute, and its expected content; null if unknown. */
export interface Agreed extends Planted {
  readonly content: Uint8Array | null;
}

/** The parts needed to ask about a call that is over. */
export interface Asks {
  readonly gate: Gate;
  readonly log: CallLog;
  readonly agent: string | null;
  readonly groupId: string | null;
  readonly signal: AbortSignal | null;
}

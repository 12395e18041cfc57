import type { Gate } from "../../approval/gate.ts";
import type { EventBody } from "../../event/event.ts";
import type { Before } from "../../host/appeared.ts";
import type { Planted, TakenFrom } from "../../host/quarantine/quarantine.ts";
import type { Trail } from "../../journal/trail.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Shared } from "../shared.ts";

/** The call after which things appeared, and who can be asked about them. */
export interface AfterCall {
  readonly shared: Pick<
    Shared,
    | "host"
    | "loaded"
    | "memory"
    | "quarantine"
    | "standing"
    | "appeared"
    | "executed"
    | "executedIn"
    | "walls"
    | "ledger"
  >;
  readonly from: TakenFrom;
  readonly profile: Profile;
  readonly before: Pick<Before, "hits" | "repositories" | "treeStates">;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly record: (body: EventBody) => void;
  /** Files that a person agreed to by a yes to exactly this call, each with what it was to hold. */
  readonly agreed: readonly Agreed[];
  /** What came to be only after the call had ended stays: whoever made it, the call did not. */
  readonly isMadeSince?: (path: AbsolutePath) => boolean;
  /** Who is asked; null where nobody is. */
  readonly asks: Asks | null;
  /** Called once nothing is live any more, before anybody is asked, which may take long. */
  readonly onTaken: () => void;
}

/** One file that hosts execute, and what it is to hold; null where that is not known. */
export interface Agreed extends Planted {
  readonly content: Uint8Array | null;
}

/** What it takes to ask about a call that is over. */
export interface Asks {
  readonly gate: Gate;
  readonly trail: Trail;
  readonly agent: string | null;
  readonly groupId: string | null;
  readonly signal: AbortSignal | null;
}

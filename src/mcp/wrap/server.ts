import type { Profile } from "../../profile/profile.ts";

/** A server that runs inside its walls. */
export interface WrappedServer {
  /** What it gets. */
  readonly profile: Profile;
  /** What is different about its walls since they were proven. */
  readonly changes: () => readonly string[];
  /** Writes a line to it; comes back once it has been taken. */
  readonly write: (line: string) => Promise<void>;
}

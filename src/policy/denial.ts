/**
 * An access that the sandbox or the profile did not allow: the reason, and a change that would allow it, in words for a
 * model and a person.
 */
export interface Denial {
  readonly operation: "read" | "write" | "remove" | "rename" | "connect" | "run" | "trace" | "use";
  /** A path or a host; words for anything else. */
  readonly target: string;
  /** `certain`: reported by the policy or the backend. `likely`: inferred from the failure of the call. */
  readonly certainty: "certain" | "likely";
  /** The entry or mask that decided, and its place. */
  readonly because: string;
  readonly remedy: string;
  /** True if approval would allow it: a person is asked if the very call is repeated. Else left out. */
  readonly askable?: true;
}

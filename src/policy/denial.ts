import { visible } from "../errors.ts";

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

/** The denial in words: the act that the sandbox prevented, and why. */
export function deniedAct({ operation, target, certainty, because }: Denial): string {
  const how = certainty === "certain" ? "the sandbox prevented" : "the sandbox may have prevented";
  const isWords = operation === "run" || operation === "trace" || operation === "use";
  return `${how} ${ACTS[operation]} ${isWords ? target : visible(target)}: ${because}`;
}

const ACTS: Readonly<Record<Denial["operation"], string>> = {
  read: "reading",
  write: "writing",
  remove: "removing or moving",
  rename: "moving or linking a file into or out of",
  connect: "connecting to",
  run: "running",
  trace: "tracing",
  use: "using",
};

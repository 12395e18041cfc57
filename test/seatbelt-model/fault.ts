/** Why a text is no profile: `error` is what the system would refuse, `unsupported` what this evaluator does not know. */
export type Failure =
  | { readonly kind: "error"; readonly line: number; readonly message: string }
  | { readonly kind: "unsupported"; readonly line: number; readonly what: string };

/** A failure on its way out of the compiler; `compile` and `lint` turn it into a value. */
export class Fault extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`line ${failure.line}: ${failure.kind === "error" ? failure.message : failure.what}`);
    this.failure = failure;
  }
}

/** Refuses the text as the system would. */
export function refuse(line: number, message: string): never {
  throw new Fault({ kind: "error", line, message });
}

/** Gives up on the text: what it says here has no known meaning. */
export function giveUp(line: number, what: string): never {
  throw new Fault({ kind: "unsupported", line, what });
}

/** The value of `work`, or the failure that ended it; any other error goes on. */
export function orFailure<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) return error.failure;
    throw error;
  }
}

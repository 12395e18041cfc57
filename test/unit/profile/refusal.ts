import { CofferdamError } from "../../../src/errors.ts";

/** The error that the work throws, as `code: message` and `→ hint`. */
export function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof CofferdamError) return `${error.code}: ${error.message}\n→ ${error.hint ?? ""}`;
    throw error;
  }
  throw new Error("nothing was refused");
}

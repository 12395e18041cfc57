import { CofferdamError, ERRORS, escapeInvisible, printPosition } from "../errors.ts";
import type { Print } from "./print.ts";

/** Prints an error in three lines, or with JSON as `{ error }` to stdout. Returns the exit status of its code. */
export function reportFailure(print: Print, error: unknown, isJson = false): number {
  const known = error instanceof CofferdamError ? error : internal(error);
  const { exit } = ERRORS[known.code];
  if (isJson) {
    const at = known.at === undefined ? null : printPosition(known.at);
    print.json({ error: { code: known.code, message: known.message, at, hint: known.hint ?? null }, exit });
  }
  const at = known.at === undefined ? null : printPosition(known.at);
  reportThree(print, known.message, at, known.hint ?? null);
  if (known.code === "INTERNAL") print.talk(print.talkInk.dim(stackOf(known.cause ?? known)));
  return exit;
}

/** The three lines of every refusal; empty lines are left out. */
export function reportThree(print: Print, what: string, at: string | null, hint: string | null): void {
  const { bad, dim } = print.talkInk;
  print.talk(`${bad("cofferdam:")} ${escapeInvisible(what)}`);
  if (at !== null) print.talk(`  ${dim("at:")} ${escapeInvisible(at)}`);
  if (hint !== null && hint !== "") print.talk(`  ${dim("do:")} ${escapeInvisible(hint)}`);
}

/** An unexpected error: the operating system's message, or a bug of ours. */
function internal(cause: unknown): CofferdamError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isGone = cause instanceof Error && "syscall" in cause && cause.syscall === "uv_cwd";
  if (isGone)
    return new CofferdamError("USAGE", "the current folder no longer exists", {
      hint: "change to an existing folder",
    });
  return new CofferdamError("INTERNAL", `internal error: ${message}`, {
    hint: "please report this, with the lines below",
    cause,
  });
}

function stackOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return stack.split("\n").slice(0, 12).map(escapeInvisible).join("\n");
}

import { CofferdamError, ERRORS, escapeInvisible, printPosition } from "../errors.ts";
import type { Print } from "./print.ts";

/**
 * Tells what went wrong in three lines, what was found, where, and what to do next, and answers with the exit status of
 * its code. With JSON the same stands on stdout as `{ error }`.
 */
export function tellFailure(print: Print, error: unknown, isJson = false): number {
  const known = error instanceof CofferdamError ? error : internal(error);
  const { exit } = ERRORS[known.code];
  if (isJson) {
    const at = known.at === undefined ? null : printPosition(known.at);
    print.json({ error: { code: known.code, message: known.message, at, hint: known.hint ?? null }, exit });
  }
  const at = known.at === undefined ? null : printPosition(known.at);
  tellThree(print, known.message, at, known.hint ?? null);
  if (known.code === "INTERNAL") print.talk(print.talkInk.dim(stackOf(known.cause ?? known)));
  return exit;
}

/** The three lines that everything refused is told in; a line that says nothing is left out. */
export function tellThree(print: Print, what: string, at: string | null, hint: string | null): void {
  const { bad, dim } = print.talkInk;
  print.talk(`${bad("cofferdam:")} ${escapeInvisible(what)}`);
  if (at !== null) print.talk(`  ${dim("at:")} ${escapeInvisible(at)}`);
  if (hint !== null && hint !== "") print.talk(`  ${dim("do:")} ${escapeInvisible(hint)}`);
}

/** What no part of the product expected: the operating system's words, or a fault of ours. */
function internal(cause: unknown): CofferdamError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isGone = cause instanceof Error && "syscall" in cause && cause.syscall === "uv_cwd";
  if (isGone)
    return new CofferdamError("USAGE", "the folder that this was started in is gone", {
      hint: "change to one that exists",
    });
  return new CofferdamError("INTERNAL", `something went wrong that should not: ${message}`, {
    hint: "please report it, with the lines below",
    cause,
  });
}

function stackOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return stack.split("\n").slice(0, 12).map(escapeInvisible).join("\n");
}

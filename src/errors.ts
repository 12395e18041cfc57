/** The meaning of one error code at the edges of the product. */
export interface ErrorMeaning {
  /** Exit status of the command line (sysexits.h where one fits). */
  readonly exit: number;
  /** HTTP status that an integration answers with. */
  readonly http: number;
  /** One sentence for the docs: when this code is thrown. */
  readonly when: string;
}

/** Every error code: the one table that exit statuses, HTTP statuses and docs are made from. */
export const ERRORS = {
  USAGE: { exit: 64, http: 400, when: "the command line or the API was used incorrectly" },
  CONFIG_INVALID: {
    exit: 65,
    http: 422,
    when: "a config file is malformed, has an unknown key, or names something that does not exist",
  },
  CONFIG_UNTRUSTED: {
    exit: 65,
    http: 403,
    when: "the config that was found is not trusted, or has changed since",
  },
  PROFILE_INVALID: {
    exit: 65,
    http: 422,
    when: "an operator profile is malformed, unsafe to read, or fails its own examples",
  },
  PATH_INVALID: {
    exit: 65,
    http: 422,
    when: "a path in a config is relative, contains `..`, or has invalid characters",
  },
  PATTERN_INVALID: { exit: 65, http: 422, when: "a pattern is not valid in the pattern language" },
  HOST_INVALID: { exit: 65, http: 422, when: "a host rule is not `name[:port] [private]`" },
  ROOT_REFUSED: {
    exit: 65,
    http: 422,
    when: "a folder in `sandbox.paths` is missing, a symlink, too broad, or a system folder",
  },
  SANDBOX_UNAVAILABLE: { exit: 69, http: 503, when: "the sandbox cannot be built, or differs from the plan" },
  NOT_ENFORCEABLE: {
    exit: 69,
    http: 503,
    when: "this machine cannot enforce the profile without allowing more",
  },
  PORT_IN_USE: {
    exit: 69,
    http: 409,
    when: "another program listens on a port that the call needs",
  },
  NODE_TOO_OLD: { exit: 69, http: 503, when: "this version of Node is too old" },
  INTERNAL: { exit: 70, http: 500, when: "there is a bug in cofferdam" },
  CHANNEL_CLOSED: {
    exit: 77,
    http: 503,
    when: "the terminal or chat for questions is missing or was closed",
  },
  DENIED: { exit: 77, http: 403, when: "the profile does not allow what the call needs to start" },
  APPROVAL_BLOCKED: { exit: 77, http: 403, when: "a rule or the tool itself always denies the call" },
  APPROVAL_DENIED: {
    exit: 77,
    http: 403,
    when: "a person or the approval mode rejected the call, or no person could be asked",
  },
  APPROVAL_TIMEOUT: { exit: 77, http: 408, when: "the approval request was not answered in time" },
  APPROVAL_PENDING: {
    exit: 75,
    http: 202,
    when: "the approval request is unanswered, and the call does not wait",
  },
  STORE_UNAVAILABLE: {
    exit: 69,
    http: 503,
    when: "the store of requests and grants is unreachable, locked, or has another format",
  },
  EVENTS_GONE: {
    exit: 70,
    http: 410,
    when: "a subscriber asks for events that are no longer stored",
  },
  CEILING_CUTS_RUNTIME: {
    exit: 77,
    http: 403,
    when: "operator profiles remove files that the program needs to start",
  },
  FACTS_UNSTABLE: {
    exit: 77,
    http: 409,
    when: "the files of the call kept changing during its preparation",
  },
  FILE_NOT_FOUND: { exit: 1, http: 404, when: "no file or folder exists at the path" },
  FILE_WRONG_KIND: {
    exit: 1,
    http: 409,
    when: "the path is a folder, pipe, socket or device instead of a file, or a file instead of a folder",
  },
  FILE_EXISTS: { exit: 1, http: 409, when: "another file already exists at the target path" },
  FILE_NOT_EMPTY: { exit: 1, http: 409, when: "a folder that the call deletes is not empty" },
  FILE_CHANGED: { exit: 1, http: 409, when: "the file changed after the call was decided" },
  FILE_TOO_LARGE: { exit: 1, http: 413, when: "the file or edit is larger than the limit of file tools" },
  FILE_NO_MATCH: {
    exit: 1,
    http: 409,
    when: "the text of an edit occurs nowhere in the file, or more than once",
  },
  FILE_BAD_PATH: { exit: 1, http: 400, when: "a file tool got an invalid path" },
  FILE_BAD_PATTERN: { exit: 1, http: 400, when: "the glob or regular expression of a search is invalid" },
  FILE_DISK_FULL: { exit: 1, http: 507, when: "the disk has no room for a file that the call writes" },
  FILE_READ_ONLY: { exit: 1, http: 409, when: "the path is mounted read-only" },
  FILE_SYSTEM: { exit: 1, http: 500, when: "the operating system refused the operation" },
  WORKER_LOST: {
    exit: 70,
    http: 502,
    when: "the process of the file tools ended during a call; the next call starts another one",
  },
  WALL_TIME: { exit: 124, http: 504, when: "the call ran longer than `sandbox.limits.wall`" },
} as const satisfies Record<string, ErrorMeaning>;

/** A stable, documented error code. */
export type ErrorCode = keyof typeof ERRORS;

/** A position in a file: 1-based line and column. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Details of an error: the next thing to do, the cause, the position. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
  readonly at?: Position;
}

/**
 * The only error class of this product: a broken set-up or broken code, never a denial. `message` is one lower-case
 * line that says what was found; `hint` is the next thing to do.
 */
export class CofferdamError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly at: Position | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "CofferdamError";
    this.code = code;
    this.hint = details.hint;
    this.at = details.at;
  }
}

/** The same error with a position; the first position known stays. */
export function withPosition(error: CofferdamError, at: Position): CofferdamError {
  if (error.at !== undefined) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new CofferdamError(error.code, error.message, { ...hint, at, cause: error.cause });
}

/** `file:line:column`, as editors open it. */
export function printPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/** Maximum of characters of a text in a message, so that it does not grow with the input. */
const MAX_VISIBLE = 8_192;

/**
 * Text from outside, made visible and put in backticks. Control, bidi, zero-width and blank characters and lone
 * surrogates become `\u{…}`, so that nothing can hide or reorder the text. Backticks do too, so that quoted text ends
 * where it ends. A text of more than 8,192 characters is cut, and ends in `…`.
 */
export function visible(text: string): string {
  if (text.length > MAX_VISIBLE) return visible(`${text.slice(0, MAX_VISIBLE - 1)}…`);
  return `\`${escapeInvisible(text).replaceAll("`", "\\u{60}")}\``;
}

/**
 * The text with every invisible or line-breaking character written as `\u{…}`, and also every mark of a run of more
 * than four combining marks: such a run is drawn over the lines above and below.
 */
export function escapeInvisible(text: string): string {
  // Runs are replaced piece by piece, so that a long one costs no stack.
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{1d159}]|(?! )\p{Zs}|\p{M}{5,64}|\p{M}(?<=\p{M}{5})/gu,
    (found) => Array.from(found, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).join(""),
  );
}

/** The text of a thrown value. Never throws itself. */
export function thrownText(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : null;
    if (typeof message === "string") return message;
  } catch {
    return "something was thrown that can't be read";
  }
  return "something was thrown that is no error";
}

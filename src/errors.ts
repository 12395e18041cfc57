/** What one error code means at the edges of the product. */
export interface ErrorMeaning {
  /** Exit status of the command line (sysexits.h where one fits). */
  readonly exit: number;
  /** HTTP status a face answers with. */
  readonly http: number;
  /** One sentence for the docs: when this code is thrown. */
  readonly when: string;
}

/** Every error code there is: the one table that exit statuses, HTTP statuses and docs are made from. */
export const ERRORS = {
  USAGE: { exit: 64, http: 400, when: "the command line or the API was called in a way it does not have" },
  CONFIG_INVALID: {
    exit: 65,
    http: 422,
    when: "a config file is malformed, misspelt or asks for something that does not exist",
  },
  CONFIG_UNTRUSTED: {
    exit: 65,
    http: 403,
    when: "a config was found that this user has not trusted, or that changed since",
  },
  PROFILE_INVALID: {
    exit: 65,
    http: 422,
    when: "an operator profile is malformed, unsafe to read, or fails its own examples",
  },
  PATH_INVALID: {
    exit: 65,
    http: 422,
    when: "a configured path is relative, has `..` or holds characters that no config may hold",
  },
  PATTERN_INVALID: { exit: 65, http: 422, when: "a pattern uses something outside the pattern language" },
  HOST_INVALID: { exit: 65, http: 422, when: "a host rule is not `name[:port] [private]`" },
  ROOT_REFUSED: {
    exit: 65,
    http: 422,
    when: "a configured root is missing, a symlink, too wide, or holds the state folder",
  },
  SANDBOX_UNAVAILABLE: { exit: 69, http: 503, when: "the walls cannot be built, or could not be proven up" },
  NOT_ENFORCEABLE: {
    exit: 69,
    http: 503,
    when: "this backend cannot enforce the profile on this machine without loosening it",
  },
  PORT_IN_USE: {
    exit: 69,
    http: 409,
    when: "a port that is to lead into a call is in use on this machine's loopback",
  },
  NODE_TOO_OLD: { exit: 69, http: 503, when: "this Node is too old; nothing was loaded" },
  INTERNAL: { exit: 70, http: 500, when: "the product broke one of its own laws" },
  CHANNEL_CLOSED: {
    exit: 77,
    http: 503,
    when: "nobody could be asked: there is no terminal, it was lost, or a chat can't be reached",
  },
  DENIED: { exit: 77, http: 403, when: "the profile of a call does not give what it needs to start" },
  APPROVAL_BLOCKED: { exit: 77, http: 403, when: "a rule or the tool itself never allows the call" },
  APPROVAL_DENIED: { exit: 77, http: 403, when: "a person or a mode said no, or nobody could be asked" },
  APPROVAL_TIMEOUT: { exit: 77, http: 408, when: "nobody answered in time; asking again may help" },
  APPROVAL_PENDING: {
    exit: 75,
    http: 202,
    when: "nobody has answered yet, and the call does not wait for it",
  },
  STORE_UNAVAILABLE: {
    exit: 69,
    http: 503,
    when: "the store of requests and grants can't be reached, is locked, or is not what this version makes of it",
  },
  EVENTS_GONE: {
    exit: 70,
    http: 410,
    when: "events that a subscriber asks for are no longer kept",
  },
  CEILING_CUTS_RUNTIME: {
    exit: 77,
    http: 403,
    when: "operator profiles cut off what the program needs to start",
  },
  FACTS_UNSTABLE: {
    exit: 77,
    http: 409,
    when: "the files a call is about kept changing while it was being prepared",
  },
  FILE_NOT_FOUND: { exit: 1, http: 404, when: "a file tool was given a path at which nothing is" },
  FILE_WRONG_KIND: {
    exit: 1,
    http: 409,
    when: "a folder, pipe, socket or device stands where a file is wanted, or a file where a folder is",
  },
  FILE_EXISTS: { exit: 1, http: 409, when: "something stands already where a file tool would put another" },
  FILE_NOT_EMPTY: { exit: 1, http: 409, when: "a folder that is to be deleted holds something" },
  FILE_CHANGED: { exit: 1, http: 409, when: "a file is no longer what it was when the call was decided" },
  FILE_TOO_LARGE: { exit: 1, http: 413, when: "a file or an edit is larger than file tools take" },
  FILE_NO_MATCH: { exit: 1, http: 409, when: "the text of an edit is not in the file, or not once" },
  FILE_BAD_PATH: { exit: 1, http: 400, when: "a file tool was given a path that leads nowhere" },
  FILE_BAD_PATTERN: { exit: 1, http: 400, when: "a glob or regular expression of a search is none" },
  FILE_DISK_FULL: { exit: 1, http: 507, when: "there is no room for what a file tool would write" },
  FILE_READ_ONLY: { exit: 1, http: 409, when: "a file tool would write on what is mounted read-only" },
  FILE_SYSTEM: { exit: 1, http: 500, when: "the system refused a file tool something, by its own error" },
  WORKER_LOST: {
    exit: 70,
    http: 502,
    when: "the process that works on files ended during a call; the next call gets another",
  },
  WALL_TIME: { exit: 124, http: 504, when: "the wall time of a call ran out" },
} as const satisfies Record<string, ErrorMeaning>;

/** A stable, documented error code. */
export type ErrorCode = keyof typeof ERRORS;

/** Where in a file something was found: 1-based line and column. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What may accompany an error: the next thing to do, what caused it, where it stands. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly cause?: unknown;
  readonly at?: Position;
}

/**
 * The one error this product throws: a broken set-up or broken code, never a denial.
 * `message` is one lower-case line that says what was found; `hint` is the next thing to do.
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

/** The same error, told where it stands: the first position known is the one that stays. */
export function withPosition(error: CofferdamError, at: Position): CofferdamError {
  if (error.at !== undefined) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new CofferdamError(error.code, error.message, { ...hint, at, cause: error.cause });
}

/** `file:line:column`, as editors open it. */
export function printPosition(at: Position): string {
  return `${at.file}:${at.line}:${at.column}`;
}

/** A message shows no more characters of a text than this, so that it does not grow with what was sent. */
const MAX_VISIBLE = 8_192;

/**
 * Text from outside, made visible and put in backticks: control, bidi, zero-width and blank
 * characters and lone surrogates become `\u{…}`, so that nothing can hide or reorder what a person reads; and so do
 * backticks, so that what is quoted ends where it ends. A text of more than 8,192 characters is cut, and ends in `…`.
 */
export function visible(text: string): string {
  if (text.length > MAX_VISIBLE) return visible(`${text.slice(0, MAX_VISIBLE - 1)}…`);
  return `\`${escapeInvisible(text).replaceAll("`", "\\u{60}")}\``;
}

/**
 * The text with every invisible or line-breaking character written as `\u{…}`, and with them every mark of a run of
 * more than four combining marks: such a run is drawn over the lines above and below.
 */
export function escapeInvisible(text: string): string {
  // Runs are taken piece by piece, so that a long one costs no stack.
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{1d159}]|(?! )\p{Zs}|\p{M}{5,64}|\p{M}(?<=\p{M}{5})/gu,
    (found) => Array.from(found, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`).join(""),
  );
}

/** What was thrown, in words. Whatever it is, to ask it throws nothing. */
export function thrownText(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : null;
    if (typeof message === "string") return message;
  } catch {
    return "something was thrown that can't be read";
  }
  return "something was thrown that is no error";
}

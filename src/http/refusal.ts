import { CofferdamError, ERRORS } from "../errors.ts";

/** What one way of refusing a request means: its status, what was found, and the next thing to do. */
interface Meaning {
  readonly status: number;
  readonly message: string;
  readonly hint: string;
}

/** Every way in which a request is refused that no error of the product's is about. */
export const REFUSALS = {
  REQUEST_MALFORMED: {
    status: 400,
    message: "the request can't be read as what this route takes",
    hint: "`GET /openapi.json` says what each route takes",
  },
  TOKEN_MISSING: {
    status: 401,
    message: "no token was given",
    hint: "send `Authorization: Bearer TOKEN`",
  },
  TOKEN_UNKNOWN: {
    status: 401,
    message: "nobody has this token",
    hint: "take the one that the server printed when it was started",
  },
  ORIGIN_UNKNOWN: {
    status: 403,
    message: "a page of another origin asks",
    hint: "open the inbox of this server, or list the origin in `origins`",
  },
  ROUTE_UNKNOWN: {
    status: 404,
    message: "there is no such route",
    hint: "`GET /openapi.json` lists them",
  },
  REQUEST_UNKNOWN: {
    status: 404,
    message: "no request has this id",
    hint: "`GET /approvals` lists those that wait",
  },
  GRANT_UNKNOWN: {
    status: 404,
    message: "no grant has this id: perhaps it was taken back",
    hint: "`GET /grants` lists those that count",
  },
  METHOD_UNKNOWN: {
    status: 405,
    message: "this route has no such method",
    hint: "`GET /openapi.json` lists the methods of each route",
  },
  REQUEST_SLOW: {
    status: 408,
    message: "the request took too long to arrive",
    hint: "send it again",
  },
  ANSWERED_ALREADY: {
    status: 409,
    message: "somebody has answered this request before",
    hint: "`decision` says who, and what",
  },
  REQUEST_EXPIRED: {
    status: 410,
    message: "the time for an answer has run out",
    hint: "the call has to be made again",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: "the body is larger than 64 KiB",
    hint: "send less",
  },
  URL_TOO_LONG: {
    status: 414,
    message: "the address is longer than 2,048 characters",
    hint: "send less",
  },
  BODY_NOT_JSON: {
    status: 415,
    message: "the body is not said to be JSON as it is",
    hint: "send `Content-Type: application/json`, and no `Content-Encoding`",
  },
  HOST_UNKNOWN: {
    status: 421,
    message: "the request is for a server of another name",
    hint: "use the address that the server printed, or list the name in `hosts`",
  },
  EXPECTATION_UNKNOWN: {
    status: 417,
    message: "the request expects what this server does not know",
    hint: "send no `Expect`, or `Expect: 100-continue`",
  },
  TRIES_TOO_MANY: {
    status: 429,
    message: "too many requests without a token that is known came from there",
    hint: "wait as long as `Retry-After` says",
  },
  ANSWERS_TOO_MANY: {
    status: 429,
    message: "more answers came than a person gives",
    hint: "wait as long as `Retry-After` says",
  },
  REQUESTS_TOO_MANY: {
    status: 429,
    message: "more requests came by one connection than it takes answers for",
    hint: "read an answer before the next request",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: "the headers are larger than 8 KiB",
    hint: "send less",
  },
  CODING_UNKNOWN: {
    status: 501,
    message: "the body is sent in a coding that this server does not know",
    hint: "send it as it is, with `Content-Length` or `Transfer-Encoding: chunked`",
  },
  CONNECTIONS_TOO_MANY: {
    status: 503,
    message: "there are more connections than this server keeps",
    hint: "close some of them, or try again later",
  },
  SUBSCRIBERS_TOO_MANY: {
    status: 503,
    message: "more follow the events than this server serves",
    hint: "wait as long as `Retry-After` says",
  },
} as const satisfies Record<string, Meaning>;

/** A stable code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

/** One refusal, as it is answered. */
export interface Refusal {
  readonly code: string;
  readonly status: number;
  /** What a record says of it: nothing that the request held. */
  readonly why: string;
  readonly message: string;
  readonly hint: string;
  /** What is answered besides `error`. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The refusal of a code, with what is said in place of the usual words, or besides. */
export function refusal(
  code: RefusalCode,
  more: Partial<Pick<Refusal, "message" | "hint" | "beside" | "headers">> = {},
): Refusal {
  const { status, message, hint } = REFUSALS[code];
  return { code, status, why: message, message, hint, beside: {}, headers: {}, ...more };
}

/**
 * The refusal that an error stands for: ours by the one table of codes, any other without a word of what it says. Of our
 * own broken laws nothing is told either.
 */
export function refusalOf(thrown: unknown): Refusal {
  const nothing = { beside: {}, headers: {} };
  if (thrown instanceof CofferdamError && thrown.code !== "INTERNAL") {
    const { code, message, hint = "" } = thrown;
    const { http: status, when } = ERRORS[code];
    return { code, status, why: when, message, hint, ...nothing };
  }
  const message = "something went wrong in the server";
  return {
    code: "INTERNAL",
    status: ERRORS.INTERNAL.http,
    why: message,
    message,
    hint: "look at what its process says",
    ...nothing,
  };
}

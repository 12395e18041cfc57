import { CofferdamError, ERRORS } from "../errors.ts";

interface Meaning {
  readonly status: number;
  readonly message: string;
  readonly hint: string;
}

/** Every refusal that is not an error of the product. */
export const REFUSALS = {
  REQUEST_MALFORMED: {
    status: 400,
    message: "the request is invalid for this route",
    hint: "see `GET /openapi.json` for the input of each route",
  },
  MESSAGE_MALFORMED: {
    status: 400,
    message: "the message is no answer to a request",
    hint: 'send `{ type: "approval.answer", data: { approvalId, approved, by } }`',
  },
  TOKEN_MISSING: {
    status: 401,
    message: "the request has no token",
    hint: "send `Authorization: Bearer TOKEN`",
  },
  TOKEN_UNKNOWN: {
    status: 401,
    message: "unknown token",
    hint: "use the token that the server printed at its start",
  },
  SIGNATURE_MISSING: {
    status: 401,
    message: "the message is not signed",
    hint: "send `webhook-id`, `webhook-timestamp` and `webhook-signature`",
  },
  SIGNATURE_UNKNOWN: {
    status: 401,
    message: "the signature is not that of this message",
    hint: "sign the exact body with the secret of the webhook",
  },
  MESSAGE_OLD: {
    status: 401,
    message: "the message was signed more than five minutes ago, or in the future",
    hint: "sign it when it is sent, and set the clock",
  },
  APPROVER_UNKNOWN: {
    status: 403,
    message: "this person may not answer",
    hint: "list the person under `approvers` of the webhook",
  },
  MESSAGE_INCOMPLETE: {
    status: 403,
    message: "the webhook's message did not show the whole call, so nobody can approve it there",
    hint: "approve it in the inbox or at a terminal",
  },
  SCOPE_UNKNOWN: {
    status: 400,
    message: "the request does not offer this scope",
    hint: "answer with `once`, or with a scope of its `offers`; `session` needs `covers`",
  },
  ORIGIN_UNKNOWN: {
    status: 403,
    message: "the request comes from a page of another origin",
    hint: "open the inbox of this server, or list the origin in `origins`",
  },
  ROUTE_UNKNOWN: {
    status: 404,
    message: "unknown route",
    hint: "see `GET /openapi.json` for all routes",
  },
  REQUEST_UNKNOWN: {
    status: 404,
    message: "no request has this id",
    hint: "see `GET /approvals` for unanswered requests",
  },
  GRANT_UNKNOWN: {
    status: 404,
    message: "no grant has this id; it may have been revoked",
    hint: "see `GET /grants` for all grants",
  },
  METHOD_UNKNOWN: {
    status: 405,
    message: "this route does not support the method",
    hint: "see `GET /openapi.json` for the methods of each route",
  },
  REQUEST_SLOW: {
    status: 408,
    message: "the request took too long to arrive",
    hint: "send it again",
  },
  ANSWERED_ALREADY: {
    status: 409,
    message: "the request already has an answer",
    hint: "see `decision` for the answer",
  },
  MESSAGE_REPEATED: {
    status: 409,
    message: "a message with this id came before",
    hint: "sign a new message with a new id",
  },
  REQUEST_EXPIRED: {
    status: 410,
    message: "the request has expired",
    hint: "make the call again",
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
    message: "the body is not declared as plain JSON",
    hint: "send `Content-Type: application/json`, and no `Content-Encoding`",
  },
  HOST_UNKNOWN: {
    status: 421,
    message: "the request names another server",
    hint: "use the address that the server printed, or list the name in `hosts`",
  },
  EXPECTATION_UNKNOWN: {
    status: 417,
    message: "the server does not support this `Expect` header",
    hint: "remove `Expect`, or send `Expect: 100-continue`",
  },
  TRIES_TOO_MANY: {
    status: 429,
    message: "too many requests without a known token came from this address",
    hint: "wait for the time in `Retry-After`",
  },
  ANSWERS_TOO_MANY: {
    status: 429,
    message: "too many answers in a short time",
    hint: "wait for the time in `Retry-After`",
  },
  REQUESTS_TOO_MANY: {
    status: 429,
    message: "too many requests on one connection without reading the answers",
    hint: "read an answer before the next request",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: "the headers are larger than 8 KiB",
    hint: "send less",
  },
  CODING_UNKNOWN: {
    status: 501,
    message: "the server does not support this transfer coding",
    hint: "send the body with `Content-Length` or `Transfer-Encoding: chunked`",
  },
  CONNECTIONS_TOO_MANY: {
    status: 503,
    message: "the server has too many connections",
    hint: "close some of them, or try again later",
  },
  SUBSCRIBERS_TOO_MANY: {
    status: 503,
    message: "too many clients follow the events",
    hint: "wait for the time in `Retry-After`",
  },
} as const satisfies Record<string, Meaning>;

/** A stable code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

/** One refusal, as it is answered. */
export interface HttpRefusal {
  readonly code: string;
  readonly status: number;
  /** The text for the journal: it holds nothing of the request. */
  readonly why: string;
  readonly message: string;
  readonly hint: string;
  /** Fields of the answer besides `error`. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The refusal of a code, with texts that replace its own, or with additions. */
export function refusal(
  code: RefusalCode,
  more: Partial<Pick<HttpRefusal, "message" | "hint" | "beside" | "headers">> = {},
): HttpRefusal {
  const { status, message, hint } = REFUSALS[code];
  return { code, status, why: message, message, hint, beside: {}, headers: {}, ...more };
}

/** The refusal for an error: ours by the table of codes. Others and internal errors reveal nothing. */
export function refusalOf(thrown: unknown): HttpRefusal {
  const nothing = { beside: {}, headers: {} };
  if (thrown instanceof CofferdamError && thrown.code !== "INTERNAL") {
    const { code, message, hint = "" } = thrown;
    const { http: status, when } = ERRORS[code];
    return { code, status, why: when, message, hint, ...nothing };
  }
  const message = "internal error of the server";
  return {
    code: "INTERNAL",
    status: ERRORS.INTERNAL.http,
    why: message,
    message,
    hint: "see the output of the server process",
    ...nothing,
  };
}

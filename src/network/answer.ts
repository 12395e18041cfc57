import type { EgressBecause } from "./account.ts";
import type { NotReached } from "./call-egress.ts";

/** The answer that a program gets instead of the requested one. */
export interface ProxyAnswer {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Error types of RFC 9209, section 2.3. */
const ERRORS = {
  unlisted: "http_request_denied",
  never: "http_request_denied",
  "answered-no": "http_request_denied",
  credential: "http_request_denied",
  "server-name": "http_request_denied",
  malformed: "http_request_error",
  "no-address": "dns_error",
  private: "destination_ip_prohibited",
  special: "destination_ip_prohibited",
  proxy: "destination_unavailable",
  limit: "connection_limit_reached",
} as const satisfies Record<EgressBecause, string>;

/** The program must identify its call: RFC 9110, section 11.7. */
export const WANTS_CREDENTIAL: ProxyAnswer = {
  status: 407,
  title: "Proxy Authentication Required",
  text: "wrong or missing secret: use the URL of `HTTP_PROXY`",
  headers: [["Proxy-Authenticate", 'Basic realm="cofferdam"']],
};

/** A proxy on the way would echo such a request, its credential included (RFC 9110, section 9.3.8). */
export const NOT_FORWARDED: ProxyAnswer = {
  status: 405,
  title: "Method Not Allowed",
  text: "requests with TRACE or `Max-Forwards` are not forwarded",
  headers: [["Allow", "GET, HEAD, POST, PUT, DELETE, CONNECT, OPTIONS, PATCH"]],
};

/** The answer to data that is not a proxy request. */
export const BAD_REQUEST: ProxyAnswer = {
  status: 400,
  title: "Bad Request",
  text: "this is a proxy: request an absolute `http://` URL, or CONNECT to a host and a port",
  headers: [],
};

/** The answer to a head that is too long. */
export const TOO_LONG: ProxyAnswer = {
  status: 431,
  title: "Request Header Fields Too Large",
  text: "the request header is too long",
  headers: [],
};

/** The answer that reports a failed or rejected connection. */
export function answerTo(reached: NotReached): ProxyAnswer {
  const { reason } = reached;
  if (reached.kind === "failed")
    return {
      status: 502,
      title: "Bad Gateway",
      text: `not connected: ${reason}`,
      headers: [["Proxy-Status", "cofferdam; error=destination_unavailable"]],
    };
  return {
    status: 403,
    title: "Forbidden",
    text: `not allowed: ${reason}`,
    headers: [["Proxy-Status", `cofferdam; error=${ERRORS[reached.because]}`]],
  };
}

/** The same answer as raw bytes; the connection ends after them. */
export function asBytes({ status, title, text, headers }: ProxyAnswer): Buffer {
  const body = Buffer.from(bodyOf(text));
  const lines = [
    `HTTP/1.1 ${status} ${title}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

/** The body of an answer. */
export function bodyOf(text: string): string {
  return `cofferdam: ${text}\n`;
}

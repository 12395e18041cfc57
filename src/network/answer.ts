import type { EgressBecause } from "./account.ts";
import type { NotReached } from "./call-egress.ts";

/** What a program is told in place of what it asked for. */
export interface ProxyAnswer {
  readonly status: number;
  readonly title: string;
  /** One line for a person. */
  readonly text: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** By RFC 9209, section 2.3. */
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

/** The program has to say by which call it comes: RFC 9110, section 11.7. */
export const WANTS_CREDENTIAL: ProxyAnswer = {
  status: 407,
  title: "Proxy Authentication Required",
  text: "the proxy is for those that know its secret: use the URL of `HTTP_PROXY`",
  headers: [["Proxy-Authenticate", 'Basic realm="cofferdam"']],
};

/** A proxy on the way answers such a request with all that it was told, its credential too (RFC 9110, section 9.3.8). */
export const NOT_FORWARDED: ProxyAnswer = {
  status: 405,
  title: "Method Not Allowed",
  text: "a request that asks what is on the way (TRACE, `Max-Forwards`) is not passed on",
  headers: [["Allow", "GET, HEAD, POST, PUT, DELETE, CONNECT, OPTIONS, PATCH"]],
};

/** What is no request to a proxy. */
export const BAD_REQUEST: ProxyAnswer = {
  status: 400,
  title: "Bad Request",
  text: "this is a proxy: ask for a whole `http://` URL, or CONNECT to a host and a port",
  headers: [],
};

/** More of a head than is read. */
export const TOO_LONG: ProxyAnswer = {
  status: 431,
  title: "Request Header Fields Too Large",
  text: "the head of the request is too long",
  headers: [],
};

/** How it is told that there is no connection. */
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

/** The same as the bytes of a whole answer, after which the connection ends. */
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

/** What stands in an answer's body. */
export function bodyOf(text: string): string {
  return `cofferdam: ${text}\n`;
}

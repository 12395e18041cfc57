import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { CofferdamError } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";
import type { Outside } from "../host/look/outside.ts";
import type { Network } from "../profile/network.ts";
import { proxyFor } from "../profile/proxy-for.ts";
import type { Upstream, UpstreamProxy } from "../profile/upstream.ts";
import { type PageAddress, pageAddress } from "../tool/fetch/address.ts";
import type { Fetched, Redirect, StoppedBecause } from "../tool/fetch/page.ts";
import { codingOf, readBody } from "./body.ts";
import { hasAnnouncedEnd, hasBody, isWhole } from "./body-end.ts";
import { connectBy } from "./by-proxy.ts";
import { type Connected, connectTo, type Dialling, secured } from "./dial.ts";
import { brokenOff, exchange } from "./exchange.ts";
import { foreignCodingOf } from "./headers.ts";
import { inWords } from "./in-words.ts";
import { judgeHost } from "./judge.ts";
import { isText, mediaTypeOf, textOf } from "./page-text.ts";
import { whyRepeated, whyWithheld } from "./proxy-credentials.ts";

export interface FetchLimits {
  /** In total, from the first look-up to the last byte. */
  readonly timeMs: number;
  readonly maxRedirects: number;
  readonly maxHeaderBytes: number;
  /** Maximum of bytes of the body as received. */
  readonly maxEncodedBytes: number;
}

/** The limits of every fetch. */
export const FETCH_LIMITS: FetchLimits = {
  timeMs: 30_000,
  maxRedirects: 5,
  maxHeaderBytes: 32 * 1024,
  maxEncodedBytes: 5 * 1024 * 1024,
};

export interface FetchMeans extends Dialling, Pick<Outside, "resolve" | "isOwn"> {
  /** The upstream proxies that hosts are reached by, if the network allows them. */
  readonly upstream?: Upstream | null;
  readonly limits: FetchLimits;
  readonly userAgent: string;
}

/** The means of a host: its own look-up and network. */
export function meansOf(outside: Outside, userAgent: string, upstream: Upstream | null = null): FetchMeans {
  return { ...outside, ca: null, limits: FETCH_LIMITS, userAgent, upstream };
}

/** The page to fetch, and the limits. */
export interface PageRequest {
  readonly address: PageAddress;
  /** The hosts that may be reached, on every hop. */
  readonly network: Network;
  readonly method: "GET" | "HEAD";
  /** Maximum of bytes of the unpacked body. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | null;
}

type Hop =
  | { readonly kind: "redirect"; readonly status: number; readonly location: string }
  | Omit<Extract<Fetched, { readonly kind: "page" }>, "url" | "redirects">
  | Stopped;

/** Why a fetch ended; for a page that is not text, its type. */
interface Stopped {
  readonly kind: "stopped";
  readonly because: StoppedBecause;
  readonly reason: string;
  readonly contentType?: string | null;
  readonly size?: number | null;
}

/**
 * Fetches a page. Every hop is judged again, name and address, and connects only to an address that was judged. A
 * failure is a value that says why. Rejects with the signal's reason if the caller gives up.
 */
export async function fetchPage(request: PageRequest, means: FetchMeans): Promise<Fetched> {
  const deadline = AbortSignal.timeout(means.limits.timeMs);
  using stopped = new AnySignal(request.signal, deadline);
  const { signal } = stopped;
  const redirects: Redirect[] = [];
  let address = request.address;
  for (;;) {
    const hop = await hopTo(address, { ...request, signal }, means, deadline);
    request.signal?.throwIfAborted();
    if (hop.kind === "page") return { ...hop, url: address.href, redirects };
    const stop = (why: Stopped): Fetched => {
      const { href: url, host } = address;
      return { contentType: null, size: null, ...why, url, host, redirects };
    };
    if (hop.kind === "stopped") return stop(hop);
    const next = nextOf(address, hop.location);
    if (next.kind === "stopped") return stop(next);
    redirects.push({ status: hop.status, url: next.address.href });
    if (redirects.length > means.limits.maxRedirects)
      return stop({
        kind: "stopped",
        because: "redirects",
        reason: `it was redirected more than ${means.limits.maxRedirects} times`,
      });
    address = next.address;
  }
}

type Hopping = Omit<PageRequest, "signal"> & { readonly signal: AbortSignal };

async function hopTo(
  address: PageAddress,
  request: Hopping,
  means: FetchMeans,
  deadline: AbortSignal,
): Promise<Hop> {
  try {
    return await hop(address, request, means);
  } catch (error) {
    if (request.signal.aborted) {
      const reason = `there was no complete answer within ${means.limits.timeMs / 1000} s`;
      if (deadline.aborted) return { kind: "stopped", because: "time", reason };
      throw request.signal.reason;
    }
    const because = causeOf(error);
    if (because === null) throw error;
    return { kind: "stopped", because, reason: inWords(error) };
  }
}

async function hop(address: PageAddress, request: Hopping, means: FetchMeans): Promise<Hop> {
  const { network, method, signal } = request;
  const isSecure = address.protocol === "https:";
  const proxy = proxyFor(means.upstream ?? null, network, address, !isSecure);
  const judged = await judgeHost(network, address, { ...means, proxy }, signal);
  if (judged.kind === "refused") return { kind: "stopped", because: judged.because, reason: judged.reason };
  const connected =
    judged.kind === "reachable"
      ? await connectTo(judged.targets, means, { isSecure, signal })
      : await connectPageBy(address, judged.proxy, means, signal);
  if (connected.kind === "failed")
    return { kind: "stopped", because: connected.because, reason: inWords(connected.error) };
  const { socket } = connected;
  try {
    const { userAgent, limits } = means;
    const pagesBy = judged.kind === "by-proxy" && !isSecure ? judged.proxy : null;
    const asked = { method, userAgent, maxHeaderBytes: limits.maxHeaderBytes, signal, pagesBy };
    const response = await exchange(socket, address, asked);
    const stopped = (reason: string): Stopped => ({ kind: "stopped", because: "connection", reason });
    const reason = pagesBy === null ? null : whyWithheld(response, pagesBy);
    if (reason !== null) return stopped(reason);
    const read = await readResponse(response, socket, request, limits);
    if (pagesBy === null || read.kind !== "page") return read;
    const text = Buffer.from(read.text);
    if (pagesBy.showsCredentialsIn(text)) return stopped(whyRepeated(pagesBy));
    // The caller chooses where a page is cut, which may be in the middle of the credentials.
    return read.isCut
      ? { ...read, text: text.subarray(0, text.length - pagesBy.credentialsBegunIn(text)).toString() }
      : read;
  } finally {
    socket.destroy();
  }
}

/** A page over TLS is requested through a tunnel; its host must prove itself in it as without a proxy. */
async function connectPageBy(
  address: PageAddress,
  proxy: UpstreamProxy,
  means: FetchMeans,
  signal: AbortSignal,
): Promise<Connected> {
  const isPlain = address.protocol === "http:";
  const connected = await connectBy(address, { proxy, isPlain, resolve: means.resolve, signal }, means);
  if (connected.kind === "failed" || isPlain) return connected;
  return secured(connected.socket, address.host, means, signal);
}

async function readResponse(
  response: IncomingMessage,
  socket: Socket,
  { maxBytes, method }: Hopping,
  { maxEncodedBytes }: FetchLimits,
): Promise<Hop> {
  const { statusCode: status = 0, headers } = response;
  if (REDIRECTS.has(status) && headers.location !== undefined)
    return { kind: "redirect", status, location: headers.location };
  const type = mediaTypeOf(headers["content-type"]);
  const page = { kind: "page", status, contentType: type?.name ?? null } as const;
  if (!hasBody(method, response)) return { ...page, text: "", bytes: 0, isCut: false };
  if (type === null || !isText(type)) {
    const size = sizeOf(headers["content-length"]);
    const reason = `it is ${type?.name ?? "of an unknown type"}, not text`;
    return { kind: "stopped", because: "type", reason, contentType: type?.name ?? null, size };
  }
  const coding = codingOf(headers["content-encoding"]);
  if (coding === null || foreignCodingOf(response) !== null)
    return { kind: "stopped", because: "encoding", reason: "it has a content coding that was not requested" };
  const mayBeEmpty = hasAnnouncedEnd(response);
  const body = await readBody(response, coding, { maxEncodedBytes, maxBytes, mayBeEmpty });
  if (!body.isCut && !isWhole(response, socket))
    throw socket.errored ?? brokenOff("the connection ended before the end of the page");
  const text = textOf(body.bytes, type.charset, body.isCut);
  return { ...page, text, bytes: body.bytes.length, isCut: body.isCut };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function sizeOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

type Next = { readonly kind: "next"; readonly address: PageAddress } | Stopped;

/** The target of a redirect. The next hop decides if it may be followed, as for any first one. */
function nextOf(from: PageAddress, location: string): Next {
  const refused = (reason: string): Next => ({ kind: "stopped", because: "redirect", reason });
  try {
    // Node reads headers as Latin-1; what servers put there beyond ASCII is UTF-8.
    const address = pageAddress(Buffer.from(location, "latin1").toString("utf8"), from.href);
    if (from.protocol === "https:" && address.protocol === "http:")
      return refused(`it redirects from https to http, to \`${address.host}\``);
    return { kind: "next", address };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return refused(`it redirects to an invalid URL: ${error.message}`);
  }
}

/** The meaning of an error of Node's network code; null for any other error. */
function causeOf(error: unknown): StoppedBecause | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (typeof code !== "string") return null;
  if (code === "HPE_HEADER_OVERFLOW") return "headers";
  // Brotli's own codes have two underscores.
  if (/^(Z_|ERR__)/.test(code)) return "encoding";
  if (code.startsWith("HPE_")) return "answer";
  return /^(E[A-Z]+|ERR_STREAM_PREMATURE_CLOSE|ERR_SSL.*|ERR_TLS.*)$/.test(code) ? "connection" : null;
}

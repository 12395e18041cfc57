import type { Envelope } from "../approval/envelope.ts";
import type { Snapshot } from "../http/schemas.ts";
import type { Api } from "./api.ts";
import { SseParser } from "./sse-parser.ts";

/** Callbacks of a page that follows the events. */
export interface PageEvent {
  /** All pending requests: at the start, and when events were missed. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly onEvent: (event: Envelope) => void;
  /** True if events arrive as they happen; false if the connection is down and will be retried. */
  readonly onConnection: (isLive: boolean) => void;
}

/** How an attempt to follow ended. */
type End = "lost" | "reset" | "stranger";

/** Wait before the next attempt: doubles each time, up to the maximum. */
const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** Heartbeats come more often: after this silence the connection is lost, even if the browser does not notice. */
const SILENT_MS = 75_000;

/** Follows the server's events while the page is open, also after interruptions, until the token is refused. */
export async function follow(api: Api, page: PageEvent): Promise<void> {
  let lastEventId: string | null = null;
  let waitMs = FIRST_MS;
  for (;;) {
    const parser: SseParser | "lost" | "stranger" =
      lastEventId === null ? await begin(api, page) : new SseParser(lastEventId);
    const end: End =
      typeof parser === "string"
        ? parser
        : await read(api, parser, page, () => {
            waitMs = FIRST_MS;
          });
    if (end === "stranger") return;
    if (typeof parser !== "string") lastEventId = end === "reset" ? null : parser.lastEventId;
    if (end === "reset") continue;
    page.onConnection(false);
    await pause(waitMs);
    waitMs = Math.min(LONGEST_MS, waitMs * 2);
  }
}

/** Loads all pending requests, and begins after the last event they include. */
async function begin(api: Api, page: PageEvent): Promise<SseParser | "lost" | "stranger"> {
  const reply = await api.snapshot();
  if (reply.kind === "refused") return reply.status === 401 ? "stranger" : "lost";
  page.onSnapshot(reply.data);
  return new SseParser(reply.data.lastEventId);
}

async function read(api: Api, parser: SseParser, page: PageEvent, onLive: () => void): Promise<End> {
  const over = new AbortController();
  let watch = setTimeout(() => over.abort(), SILENT_MS);
  try {
    const response = await api.events(parser.lastEventId, over.signal);
    if (!response.ok) return response.status === 401 ? "stranger" : "lost";
    onLive();
    page.onConnection(true);
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await pieces?.read();
      if (piece === undefined || piece.done) return "lost";
      clearTimeout(watch);
      watch = setTimeout(() => over.abort(), SILENT_MS);
      for (const { name, data } of parser.parse(piece.value)) {
        if (name === "reset") return "reset";
        const event: unknown = JSON.parse(data);
        if (isEnvelope(event)) page.onEvent(event);
      }
    }
  } catch {
    return "lost";
  } finally {
    clearTimeout(watch);
    over.abort();
  }
}

/** Waits; ends early when the machine is online again or the page becomes visible. */
function pause(forMs: number): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const go = (): void => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(go, forMs);
    window.addEventListener("online", go, { signal: over.signal });
    document.addEventListener(
      "visibilitychange",
      () => {
        if (document.visibilityState === "visible") go();
      },
      { signal: over.signal },
    );
  });
}

function isEnvelope(given: unknown): given is Envelope {
  return typeof given === "object" && given !== null && "type" in given && "payload" in given;
}

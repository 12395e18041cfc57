import type { Envelope } from "../approval/envelope.ts";
import type { Snapshot } from "../http/schemas.ts";
import type { Api } from "./api.ts";
import { SseParser } from "./sse-parser.ts";

/** What a page is told while it follows. */
export interface Told {
  /** All that waits: at first, and when events were missed. */
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly onEvent: (event: Envelope) => void;
  /** Events come as they happen; or they don't, and it is tried again soon. */
  readonly onConnection: (isLive: boolean) => void;
}

/** How a try to follow ended. */
type End = "lost" | "reset" | "stranger";

/** How long to wait before the next try: twice as long each time, so long at the most. */
const FIRST_MS = 500;
const LONGEST_MS = 8_000;
/** Heartbeats come more often: without one the connection is gone, whatever the browser knows of it. */
const SILENT_MS = 75_000;

/**
 * Follows the server's events for as long as the page is open, and goes on by itself where it left off. Ends when the
 * token is not taken any more.
 */
export async function follow(api: Api, told: Told): Promise<void> {
  let lastEventId: string | null = null;
  let waitMs = FIRST_MS;
  for (;;) {
    const parser: SseParser | "lost" | "stranger" =
      lastEventId === null ? await begin(api, told) : new SseParser(lastEventId);
    const end: End =
      typeof parser === "string"
        ? parser
        : await read(api, parser, told, () => {
            waitMs = FIRST_MS;
          });
    if (end === "stranger") return;
    if (typeof parser !== "string") lastEventId = end === "reset" ? null : parser.lastEventId;
    if (end === "reset") continue;
    told.onConnection(false);
    await pause(waitMs);
    waitMs = Math.min(LONGEST_MS, waitMs * 2);
  }
}

/** Takes all that waits, and begins behind that. */
async function begin(api: Api, told: Told): Promise<SseParser | "lost" | "stranger"> {
  const reply = await api.snapshot();
  if (reply.kind === "refused") return reply.status === 401 ? "stranger" : "lost";
  told.onSnapshot(reply.data);
  return new SseParser(reply.data.lastEventId);
}

async function read(api: Api, parser: SseParser, told: Told, onLive: () => void): Promise<End> {
  const over = new AbortController();
  let watch = setTimeout(() => over.abort(), SILENT_MS);
  try {
    const response = await api.events(parser.lastEventId, over.signal);
    if (!response.ok) return response.status === 401 ? "stranger" : "lost";
    onLive();
    told.onConnection(true);
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await pieces?.read();
      if (piece === undefined || piece.done) return "lost";
      clearTimeout(watch);
      watch = setTimeout(() => over.abort(), SILENT_MS);
      for (const { name, data } of parser.take(piece.value)) {
        if (name === "reset") return "reset";
        const event: unknown = JSON.parse(data);
        if (isEnvelope(event)) told.onEvent(event);
      }
    }
  } catch {
    return "lost";
  } finally {
    clearTimeout(watch);
    over.abort();
  }
}

/** Ends early when the machine is online again, or somebody looks. */
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

import type { Broker } from "../../../src/approval/broker.ts";
import { type ApprovalServer, type ServeOptions, serveApprovals } from "../../../src/http/serve.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import type { Store } from "../../../src/store/store.ts";
import { bringing, type Desk, desk, SILENCE } from "../approval/desk.ts";
import { requestWith } from "../approval/request.ts";

/** Two who may answer. */
export const ANN = { name: "ann", token: "ann-token-ann-token-ann-token-ann" } as const;
export const BOB = { name: "bob", token: "bob-token-bob-token-bob-token-bob" } as const;

/** A server over a broker, and what both write down. */
export interface TestApp extends AsyncDisposable {
  readonly desk: Desk;
  readonly server: ApprovalServer;
  /** What was refused, each in short. */
  readonly refused: () => readonly string[];
  /** Asks as ann does, unless headers say otherwise. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

/** A server that listens, for ann and bob. */
export async function testApp(options: ServeOptions & { readonly store?: Store } = {}): Promise<TestApp> {
  const { store, ...rest } = options;
  const at = desk(store === undefined ? {} : { store });
  const journal = new MemoryJournal();
  const recorder = new Recorder({ now: Date.now }, journal, "run-1");
  const server = await serveApprovals(at.broker, {
    approvers: [ANN, BOB],
    recorder,
    host: { now: () => at.clock.now },
    ...rest,
  });
  return {
    desk: at,
    server,
    refused: () =>
      journal.events.map((event) =>
        event.type === "http.refused"
          ? `${event.method} ${event.path} ${event.status} ${event.why}${event.times === 1 ? "" : ` ×${event.times}`}`
          : event.type,
      ),
    ask: (path, init = {}) =>
      fetch(`${server.url}${path}`, { ...init, headers: { ...asAnn(init), ...init.headers } }),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await at.broker[Symbol.asyncDispose]();
    },
  };
}

/** The headers of a request with what is given as its body. */
function asAnn({ body }: RequestInit): Record<string, string> {
  return {
    authorization: `Bearer ${ANN.token}`,
    ...(typeof body === "string" ? { "content-type": "application/json" } : {}),
  };
}

/** What posts a value. */
export function post(value: unknown): RequestInit {
  return { method: "POST", body: JSON.stringify(value) };
}

/** Puts a request to a broker that nobody answers but by the server; what comes of it. */
export function put(
  broker: Broker,
  given: Partial<ApprovalRequest> = {},
  more: Parameters<typeof bringing>[1] = {},
): ReturnType<Broker["request"]> {
  return broker.request(requestWith(given), bringing([SILENCE], more));
}

/** Until so many wait. */
export async function settled({ broker }: Pick<Desk, "broker">, count: number): Promise<void> {
  while ((await broker.pending()).length < count) await new Promise((resolve) => setImmediate(resolve));
}

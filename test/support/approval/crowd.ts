import { writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Broker } from "../../../src/approval/broker.ts";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { Gate } from "../../../src/approval/gate.ts";
import type { DecidedCall } from "../../../src/approval/gate-result.ts";
import { BrokerHandler } from "../../../src/approval/handlers.ts";
import { presentText } from "../../../src/approval/present.ts";
import { createGate } from "../../../src/call/create-gate.ts";
import { CallLog } from "../../../src/journal/call-log.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { argsHashOf, cacheKeyOf } from "../../../src/policy/hashes.ts";
import { NOTHING_LEFT_OUT } from "../../../src/policy/redactions.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";

/** What a crowd of questions at once came to. */
export interface Crowd {
  /** Bytes of the heap that one pending question takes, its share of everything counted. */
  readonly bytesEach: number;
  /** Milliseconds from the first answer to the last call's end. */
  readonly answerMs: number;
  /** Of the calls, how many passed and how many did not. */
  readonly passed: number;
  readonly stopped: number;
  /** Of the answers, two racing ones for each question, how many decided. */
  readonly accepted: number;
  readonly resolvedEvents: number;
  /** What is left when all have ended: questions that wait, and what keeps the process awake. */
  readonly left: {
    readonly waiting: number;
    readonly pending: number;
    readonly resources: readonly string[];
  };
  readonly warnings: readonly string[];
}

/** So many questions through one gate, on one signal, each answered by two at once. Prints nothing. */
async function crowdOfGate(count: number): Promise<Crowd> {
  const host = { now: Date.now, id: idsFrom("id") };
  const recorder = new Recorder(host, { write: () => undefined, [Symbol.dispose]: () => undefined }, "run");
  const broker = new Broker(host, new MemoryStore({ maxEvents: 4 * count }), recorder);
  const handler = new BrokerHandler();
  const gate = new Gate({
    broker,
    host,
    runId: "run",
    sessionId: "session",
    handlers: [handler],
    wait: { timeoutMs: 300_000, onTimeout: "error", style: "block" },
    project: "/srv/app",
    client: null,
    maxPending: null,
    maxPendingBytes: Number.POSITIVE_INFINITY,
    sessionGrants: true,
  });
  const { signal } = new AbortController();
  const call = async (index: number): Promise<boolean> => {
    const identity = { sessionId: "session", callId: `call ${index}`, tool: "deploy", agent: null };
    using log = new CallLog(recorder, identity);
    const asker = { callId: identity.callId, tool: "deploy", agent: null, groupId: null };
    const result = await gate.pass(asker, question(index), async () => question(index), {
      signal,
      approvalId: null,
      log,
      call: null,
    });
    if (result.kind === "approved") await gate.track(result, async () => ({ kind: "done" }));
    return result.kind === "approved";
  };
  return measured(broker, "session", count, call);
}

/** The same through the tools of a gate without a supervisor. */
async function crowdOfTools(count: number): Promise<Crowd> {
  const store = new MemoryStore({ maxEvents: 4 * count });
  using gate = createGate({ handler: new BrokerHandler(), store, approval: { most_pending: count } });
  const tools = gate.guard([defineTool({ name: "deploy", run: () => "deployed" })]);
  const { signal } = new AbortController();
  const call = async (index: number): Promise<boolean> =>
    (await tools.call("deploy", { env: "staging", index }, { signal })).kind === "done";
  return await measured(gate.broker, gate.sessionId, count, call);
}

async function measured(
  broker: Broker,
  sessionId: string,
  count: number,
  call: (index: number) => Promise<boolean>,
): Promise<Crowd> {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  const before = heap();
  const calls = Array.from({ length: count }, (_, index) => call(index));
  while ((await broker.pending()).length < count) await rest();
  const bytesEach = (heap() - before) / count;

  const began = performance.now();
  const racing = (await broker.pending()).flatMap(({ approvalId }, index) => {
    const [first, second] =
      index % 2 === 0 ? [approved("ann"), rejected("bob")] : [rejected("bob"), approved("ann")];
    return [broker.respond(approvalId, first, "a page"), broker.respond(approvalId, second, "a page")];
  });
  const said = await Promise.all(racing);
  const ended = await Promise.all(calls);
  const answerMs = performance.now() - began;

  const passed = ended.filter((one) => one).length;
  const resolvedEvents = await countResolved(broker);
  const waiting = broker.countWaiting(sessionId);
  const pending = (await broker.pending()).length;
  await broker[Symbol.asyncDispose]();
  await rest();
  process.off("warning", note);
  return {
    bytesEach,
    answerMs,
    passed,
    stopped: count - passed,
    accepted: said.filter((one) => one === "accepted").length,
    resolvedEvents,
    left: {
      waiting,
      pending,
      resources: process.getActiveResourcesInfo().filter((one) => one === "Timeout"),
    },
    warnings,
  };
}

async function countResolved(broker: Broker): Promise<number> {
  let count = 0;
  const events = broker.events()[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([events.next(), rest().then(() => null)]);
    if (next === null || next.done === true) break;
    if (next.value.type === "approval.resolved") count += 1;
  }
  await events.return?.();
  return count;
}

function question(index: number): DecidedCall {
  const input = { env: "staging", index };
  const key = { cacheKey: cacheKeyOf("deploy", input), toolVersion: "1", program: null, granted: null };
  return {
    verdict: { action: "ask", demandsPerson: false, hits: [], reason: "no rule covers this tool" },
    argsHash: argsHashOf({ tool: "deploy", version: "1", input, agent: null }),
    grantKey: key,
    groupId: null,
    summarize: () => ({
      risk: "write",
      description: "use deploy",
      safeArgs: input,
      redactions: NOTHING_LEFT_OUT,
      covers: `deploy with ${JSON.stringify(input)}`,
      granted: null,
    }),
    preview: async () => presentText("deploy"),
  };
}

function idsFrom(prefix: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix} ${count}`;
  };
}

function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Bytes on the heap that something still holds. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function")
    for (let time = 0; time < 3; time += 1) Reflect.apply(collect, undefined, []);
  return process.memoryUsage().heapUsed;
}

const [, , of = "gate", count = "10000"] = process.argv;
const crowd = of === "tools" ? await crowdOfTools(Number(count)) : await crowdOfGate(Number(count));
writeSync(1, `${JSON.stringify(crowd)}\n`);

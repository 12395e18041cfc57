import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";

/**
 * Many who follow one server's events, in a process of their own: `URL TOKEN COUNT`. Says `ready` when all are greeted;
 * a line with a number on stdin asks for the figures once each has seen the event of that number.
 */
export interface AudienceFigures {
  /** Events that each saw; the same number for all when nobody missed one. */
  readonly fewest: number;
  readonly max: number;
  /** Numbers that did not follow on the one before. */
  readonly gaps: number;
  readonly doubled: number;
  /** Connections that ended before they were let go. */
  readonly ended: number;
  /** Milliseconds from when an event was made to when it was read, in order. */
  readonly lateMs: { readonly median: number; readonly p99: number; readonly max: number };
}

const [, , url = "", token = "", count = "1"] = process.argv;
const late: number[] = [];
let [gaps, doubled, ended, greeted] = [0, 0, 0, 0];
const seen: number[] = [];
const last: number[] = [];
const requests: ClientRequest[] = [];
let wanted = Number.POSITIVE_INFINITY;

function follow(index: number): void {
  seen[index] = 0;
  const headers = { authorization: `Bearer ${token}` };
  const asked = request(`${url}/events`, { headers, agent: false }, (response) => read(index, response));
  asked.on("error", () => undefined);
  asked.end();
  requests.push(asked);
}

function read(index: number, response: IncomingMessage): void {
  response.setEncoding("latin1");
  let rest = "";
  response.on("data", (text: string) => {
    rest += text;
    let from = 0;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n", from)) {
      take(index, rest.slice(from, end));
      from = end + 2;
    }
    rest = rest.slice(from);
    if (seen.length === Number(count)) tellWhenDone();
  });
  response.on("close", () => {
    ended += 1;
  });
}

function take(index: number, block: string): void {
  const seq = Number(/^id: .*:(-?\d+)$/m.exec(block)?.[1]);
  const data = block.indexOf("data: ");
  const before = last[index];
  last[index] = seq;
  if (before === undefined) {
    greeted += 1;
    if (greeted === Number(count)) process.stdout.write("ready\n");
    return;
  }
  // A heartbeat repeats the number of the last event.
  if (data === -1) return;
  seen[index] = (seen[index] ?? 0) + 1;
  if (seq <= before) doubled += 1;
  else if (seq !== before + 1) gaps += 1;
  if ((seq + index) % 50 === 0)
    late.push(Date.now() - Number(/"created_at":([\d.]+)/.exec(block)?.[1]) * 1_000);
}

function tellWhenDone(): void {
  if (!last.every((one) => one >= wanted)) return;
  wanted = Number.POSITIVE_INFINITY;
  late.sort((a, b) => a - b);
  const at = (part: number): number => Math.round(late[Math.floor((late.length - 1) * part)] ?? 0);
  const figures: AudienceFigures = {
    fewest: Math.min(...seen),
    max: Math.max(...seen),
    gaps,
    doubled,
    ended,
    lateMs: { median: at(0.5), p99: at(0.99), max: at(1) },
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  for (const one of requests) one.destroy();
}

for (let index = 0; index < Number(count); index += 1) follow(index);
for await (const line of createInterface({ input: process.stdin })) {
  wanted = Number(line);
  tellWhenDone();
}

import { appendFileSync } from "node:fs";
import { Socket } from "node:net";
import type { Asking } from "../../../src/approval/handler.ts";
import { TerminalScreen } from "../../../src/channel/screen.ts";
import { terminalHandler } from "../../../src/channel/terminal.ts";
import { CofferdamError } from "../../../src/errors.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import type { Command, Report } from "./commands.ts";

/** Asks on its terminal what it is told to on descriptor 4, and reports there what became of it. */
const wire = new Socket({ fd: 4 });
const screen = new TerminalScreen();
const handler = terminalHandler({ person: "ann", screen });
const asked = new Map<string, AbortController>();
let grants: readonly Grant[] = [];
let back: Disposable | null = null;

function report(what: Report): void {
  wire.write(`${JSON.stringify(what)}\n`);
}

function ask({ request, presentation }: Extract<Command, { kind: "ask" }>): Promise<void> {
  const abort = new AbortController();
  asked.set(request.approvalId, abort);
  const asking: Asking = {
    signal: abort.signal,
    present: async () => {
      report({ kind: "presented", id: request.approvalId });
      if (presentation === "fails") throw new Error("it can't be made");
      if (presentation === "never") return new Promise(() => undefined);
      return presentation;
    },
    waiting: () => [request],
    grants: async () => grants,
    revoke: async (grantId, by) => {
      report({ kind: "revoked", grantId, by });
      const left = grants.filter((grant) => grant.grantId !== grantId);
      const isGone = left.length < grants.length;
      grants = left;
      return isGone;
    },
    isBlocking: false,
    respond: async () => "unknown",
    report: async () => undefined,
    outcome: async () => null,
    note: async () => undefined,
    noted: async () => null,
  };
  return handler
    .requestApproval(request, asking)
    .then((answer) => report({ kind: "answered", id: request.approvalId, answer }))
    .catch((error: unknown) => {
      const said =
        error instanceof CofferdamError
          ? `${error.code}: ${error.message}`
          : error instanceof Error
            ? error.name
            : String(error);
      const what: Report = { kind: "rejected", id: request.approvalId, error: said };
      report(what);
      // Where the terminal went, the wire may have gone as well.
      if (process.env["LOG"] !== undefined) appendFileSync(process.env["LOG"], `${JSON.stringify(what)}\n`);
    });
}

/** Asks each as soon as the one before is answered. */
async function askInTurn(requests: readonly ApprovalRequest[]): Promise<void> {
  const presentation = { type: "text", content: "in turn" } as const;
  for (const request of requests) await ask({ kind: "ask", request, presentation });
}

function listeners(): Record<string, number> {
  return Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
}

function obey(command: Command): void {
  switch (command.kind) {
    case "ask":
      void ask(command);
      return;
    case "ask in turn":
      void askInTurn(command.requests);
      return;
    case "abort":
      asked.get(command.id)?.abort();
      return;
    case "grants":
      grants = command.grants;
      return;
    case "listeners":
      report({ kind: "listeners", listeners: listeners() });
      return;
    case "print":
      process.stdout.write(command.text);
      return;
    case "print when free":
      void screen.free().then(() => process.stdout.write(command.text));
      return;
    case "lend":
      void screen.lend().then((lent) => {
        back = lent;
      });
      return;
    case "give back":
      back?.[Symbol.dispose]();
      return;
    case "block":
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.ms);
      return;
    case "throw":
      setImmediate(() => {
        throw new Error("nobody catches this");
      });
      return;
    case "exit":
      process.exit(7);
      return;
    case "ignore hang-ups":
      process.on("SIGHUP", () => undefined);
      return;
    case "end":
      wire.destroy();
  }
}

let heard = "";
wire.on("data", (chunk: Buffer) => {
  const lines = `${heard}${chunk.toString("utf8")}`.split("\n");
  heard = lines.pop() ?? "";
  for (const line of lines) {
    const command: Command = JSON.parse(line);
    obey(command);
  }
});
wire.on("error", () => undefined);
report({ kind: "ready", pid: process.pid });

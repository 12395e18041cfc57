import type { ToolOutcome } from "../../approval/tool-outcome.ts";
import type { ResidentProgram } from "../../call/resident.ts";
import type { Config } from "../../config/config.ts";
import { type ProgramOutcome, whyNotRun } from "../../decide/outcome.ts";
import type { ResidentProgramSpec } from "../../decide/resident-program.ts";
import { visible } from "../../errors.ts";
import type { Appearances } from "../../host/launch/appeared.ts";
import { pause } from "../../host/pause.ts";
import { deniedAct } from "../../policy/denial.ts";
import { hideInWords } from "../../policy/redact.ts";
import type { Session } from "../../session/session.ts";
import { quoted } from "../../shell/quote.ts";
import type { DefinedTool } from "../../tool/define-tool.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import type { OutboxInput } from "./outbox.ts";
import { layersOf } from "./rule-layers.ts";
import type { ServerLog } from "./server-log.ts";

/** Time for a server to end after it reads that its client is gone, in milliseconds. */
const GRACE_MS = 500;

/** Runs a tool if the gate allows it. `groupId` of its approval requests: null if the client's session is enough. */
export type CallTool = (
  tool: DefinedTool,
  args: unknown,
  options: { readonly signal: AbortSignal; readonly groupId: string | null },
) => Promise<ToolOutcome>;

/** A server that runs in its sandbox, as its gateway uses it. */
export interface RunningServer extends Pick<ResidentProgram, "kind" | "profile" | "changes"> {
  readonly input: OutboxInput;
}

/** Starts a server, and receives its output and its end. Returns the outcome if it did not start. */
export type ServerStart = (
  onOutput: (chunk: Buffer) => Promise<void>,
  onEnd: (because: string) => void,
) => Promise<RunningServer | ProgramOutcome>;

/** The process to start, and the session and the log that it uses. */
export interface ServerProcessOptions {
  readonly name: string;
  readonly server: McpServer;
  /** True if its section is in the config, and changes with it. */
  readonly isListed: boolean;
  readonly session: Session;
  readonly log: ServerLog;
  readonly talk: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The process of a wrapped server, and the calls of its tools. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  #started: ReturnType<ServerStart> | null = null;
  #program: ResidentProgram | null = null;
  #remedy: string | null = null;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  readonly start: ServerStart = (...events) => {
    this.#started = this.#start(...events);
    return this.#started;
  };

  /** The result of the start; null if there was none. Rejects with the error that prevented it. */
  get started(): ReturnType<ServerStart> | null {
    return this.#started;
  }

  /** The remedy, if the sandbox kept the server from something before it ended. */
  get remedy(): string | null {
    return this.#remedy;
  }

  readonly callTool: CallTool = async (tool, args, { signal, groupId }) => {
    const program = this.#program;
    const further = (config: Config) => {
      const section = this.#sectionIn(config);
      return section === null ? [] : layersOf(this.#options.name, section);
    };
    const around = { further, ...(program === null ? {} : { granted: program.granted }) };
    const options = { signal, ...(groupId === null ? {} : { groupId }) };
    const outcome = await this.#options.session.callFunction(tool, args, options, around);
    // The server runs on, and files it made must not take effect before it ends.
    if (program !== null) this.#reportAppeared(await program.settle());
    return outcome;
  };

  /** Gives the server a moment to end by itself after its client is gone. No process remains. */
  async end(): Promise<void> {
    const program = this.#program;
    if (program !== null) {
      program.input.end();
      const ended = program.ended.catch(() => null);
      await Promise.race([ended, pause(GRACE_MS)]);
      await program.close();
      // Files made after its last call have been handled here.
      const outcome = await ended;
      if (outcome !== null && "receipt" in outcome) this.#reportAppeared(outcome.receipt.appeared);
    }
    this.#options.log.end();
  }

  async #start(...[onOutput, onEnd]: Parameters<ServerStart>): ReturnType<ServerStart> {
    const { name, server, session, log, signal } = this.#options;
    const started = await session.startProgram(
      specOf(name, server),
      { signal, sinks: { stdout: onOutput, stderr: (chunk) => log.write(chunk) } },
      (config) => {
        const section = this.#sectionIn(config);
        return section === null ? null : specOf(name, section);
      },
    );
    if (started.kind !== "resident") return started;
    this.#program = started;
    started.ended.then(
      (outcome) => {
        const [denial] = ("denials" in outcome ? outcome.denials : null) ?? [];
        this.#remedy = denial?.remedy ?? null;
        onEnd(started.endedBy() ?? endText(outcome));
      },
      () => onEnd("its sandbox failed"),
    );
    return started;
  }

  /** The server's section by a config; null if that does not list it any more. */
  #sectionIn({ mcp }: Config): McpServer | null {
    const { isListed, name, server } = this.#options;
    if (!isListed) return server;
    return Object.hasOwn(mcp.servers, name) ? (mcp.servers[name] ?? null) : null;
  }

  #reportAppeared({ found, unknown }: Appearances): void {
    const { name, talk } = this.#options;
    const server = `the MCP server ${name}`;
    for (const { path, obeyedBy, fate } of found) {
      const made = `${server} made ${visible(path)}, which ${obeyedBy?.by ?? "other programs"} would execute`;
      if (fate.kind === "quarantined") talk(`${made}: it was moved to the quarantine`);
      if (fate.kind === "live")
        talk(`${made}: it could not be moved to the quarantine: ${fate.problem}; remove it`);
    }
    if (unknown !== null) talk(`the files that ${server} made are unknown: ${unknown}`);
  }
}

function specOf(name: string, { command, needs: all }: McpServer): ResidentProgramSpec {
  const { write_on_start: asksToStart, ...needs } = all;
  const line = quoted(hideInWords(command));
  const description = `start the MCP server ${name} until its client disconnects: run ${line}`;
  return { name, command, needs, asksToStart, description };
}

/** Why a server ended, or did not start. */
export function endText(outcome: ProgramOutcome): string {
  if (!("receipt" in outcome)) return whyNotRun(outcome).reason;
  const { limitsReached, uncovered } = outcome.receipt;
  const reached = limitsReached.length === 0 ? "" : `, at its limit of ${limitsReached.join(" and ")}`;
  const readable = uncovered.length === 0 ? "" : ", because files hidden from it became readable";
  const [denial] = outcome.denials ?? [];
  const denied = denial === undefined ? "" : `: ${deniedAct(denial)}`;
  return `it ended with status ${outcome.code}${reached}${readable}${denied}`;
}

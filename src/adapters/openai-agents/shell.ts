import { randomUUID } from "node:crypto";
import type { RunContext, Shell, ShellAction, ShellOutputResult, ShellResult } from "@openai/agents";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import type { RawItem, RunAnswers } from "./answers.ts";
import { GatedCalls } from "./gated-calls.ts";
import { KnownCalls } from "./known-calls.ts";
import { type HasPart, PART, type SdkToolPart } from "./part.ts";
import { askedAtOnce, checked, type OnApproval, type SdkToolOptions } from "./sdk-tool-options.ts";
import { shellOutput } from "./shell-output.ts";

/** The options of `shellTool`. */
export interface ShellToolOptions {
  name: string;
  shell: Shell & HasPart;
  needsApproval: (context: RunContext, action: ShellAction, callId?: string) => Promise<boolean>;
  onApproval?: OnApproval;
}

/**
 * Options of `shellTool` over our shell. Each command of an action is a call of its own: parsed, checked, asked about
 * and run in the sandbox. A denied command exits with status 126 and the reason on stderr. Throws `USAGE` for unknown
 * options.
 */
export function cofferdamShell(of: CallsOf, options: SdkToolOptions = {}): ShellToolOptions {
  const { name = "shell", onApproval, conversation } = checked("cofferdamShell", options);
  const gated = new GatedCalls(of, conversation);
  const shell = new GatedShell(gated, name);
  return {
    name,
    shell,
    needsApproval: (context, action, callId = randomUUID()) => shell.needsApproval(context, action, callId),
    ...(onApproval === undefined ? {} : { onApproval: askedAtOnce(onApproval, shell[PART]) }),
  };
}

class GatedShell implements Shell, HasPart {
  readonly #gated: GatedCalls;
  readonly #known: KnownCalls;
  readonly [PART]: SdkToolPart;

  constructor(gated: GatedCalls, name: string) {
    this.#gated = gated;
    this.#known = new KnownCalls(name);
    const known = this.#known;
    this[PART] = {
      gated,
      callsOf: async (item: RawItem) => (item.type === "shell_call" ? callsOf(item.action, item.callId) : []),
      note: (item, answers) => {
        const { rawItem } = item;
        if (rawItem.type !== "shell_call") return;
        const { action: content, callId } = rawItem;
        known.note(keyOf(content), { callId, answers, wasAsked: true, content, item });
      },
    };
  }

  async needsApproval(answers: RunAnswers, action: ShellAction, callId: string): Promise<boolean> {
    const checks = [];
    for (const call of callsOf(action, callId)) checks.push(await this.#gated.check(call, false));
    const wasAsked = checks.some(({ kind }) => kind === "pending");
    this.#known.note(keyOf(action), { callId, answers, wasAsked, content: action });
    return wasAsked;
  }

  async run(action: ShellAction): Promise<ShellResult> {
    const { callId, ...passed } = this.#known.take(keyOf(action), action);
    const { timeoutMs, maxOutputLength } = action;
    const ends = timeoutMs === undefined ? null : performance.now() + timeoutMs;
    const output: ShellOutputResult[] = [];
    for (const call of callsOf(action, callId)) {
      const leftMs = ends === null ? null : ends - performance.now();
      if (leftMs !== null && leftMs <= 0) {
        output.push({ stdout: "", stderr: "", outcome: { type: "timeout" } });
        break;
      }
      const timed = leftMs === null ? call : { ...call, timeoutMs: leftMs };
      const one = shellOutput(await this.#gated.make(timed, passed), maxOutputLength ?? null);
      output.push(one);
      if (one.outcome.type === "timeout") break;
    }
    return { output, ...(maxOutputLength === undefined ? {} : { maxOutputLength }) };
  }
}

function callsOf({ commands }: ShellAction, callId: string): readonly FrameworkCall[] {
  return commands.map((script, at) => ({ tool: "shell", input: { script }, toolCallId: `${callId}/${at}` }));
}

function keyOf({ commands, timeoutMs, maxOutputLength }: ShellAction): string {
  return JSON.stringify([commands, timeoutMs ?? null, maxOutputLength ?? null]);
}

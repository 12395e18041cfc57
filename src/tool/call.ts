import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Risk } from "../policy/risk.ts";
import type { ToolSaid } from "../policy/rule-hit.ts";
import { PortsSection } from "../profile/ports.ts";
import { type ParsedLine, parseLine } from "../shell/parse.ts";
import { byteLength, tooLargeToStart } from "./start-size.ts";
import { assertWorthChecking, wrongInput } from "./wrong-input.ts";

/** The longest path that the kernel takes, without the final NUL (path_resolution(7), `PATH_MAX`). */
const MAX_PATH_BYTES = 4_095;

/** The ports that a call requests. A call that requests none has none open, whatever its config lists. */
const CallPorts = PortsSection.min(1)
  .readonly()
  .describe("ports of this machine that lead to a server of the command; the config must list them")
  .optional();

const CallFolder = z.string().optional().describe("the working folder; by default that of all calls");

const HALF = "half a character (a lone surrogate)";

/** Node gives a program U+FFFD for half a character, so the words that were approved would not be those that run. */
const isRunAsShown = (word: string): boolean => word.isWellFormed();

/**
 * Input of the shell tool: argument words or a shell line, and a folder relative to the caller. Input too large to
 * start a program is rejected; the error says which part, and its size.
 */
export const ShellInput = z
  .union(
    [
      z.strictObject({
        argv: z
          .array(
            z
              .string()
              .regex(/^[^\0]*$/, "a word can't contain NUL")
              .refine(isRunAsShown, `a word can't contain ${HALF}`),
          )
          .min(1, "the call has no words")
          .readonly()
          .describe("a program and its arguments; write either `argv` or `script`"),
        cwd: CallFolder,
        ports: CallPorts,
      }),
      z.strictObject({
        script: z
          .string()
          .min(1)
          .regex(/^[^\0]*$/, "a script can't contain NUL")
          .refine(isRunAsShown, `a script can't contain ${HALF}`)
          .describe("a bash script; write either `argv` or `script`"),
        cwd: CallFolder,
        ports: CallPorts,
      }),
    ],
    { error: "write `{ argv: [word, …] }` or `{ script }`" },
  )
  .superRefine((input, context) => {
    const cwdBytes = byteLength(input.cwd ?? "");
    const message =
      cwdBytes > MAX_PATH_BYTES
        ? `\`cwd\` has ${cwdBytes} bytes; the maximum for a path is ${MAX_PATH_BYTES}`
        : "script" in input
          ? tooLargeToStart(shellWords(input.script), {}, () => "the script")
          : tooLargeToStart(input.argv);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
export type ShellInput = z.infer<typeof ShellInput>;

/** One use of a program tool, as judged by the tool itself. */
export interface ProgramUse {
  readonly version: string;
  readonly risk: Risk;
  readonly args: Json;
  readonly payload: Json;
  /** Null if the tool has no check of its own. */
  readonly said: ToolSaid | null;
  readonly mayRemember: boolean;
  /** The effect of the call, in the tool's own words; null if it has none. */
  readonly description: string | null;
}

/** One tool invocation: the input and its caller. */
export interface Call {
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  /** `shell`, or a program tool of the host. */
  readonly tool: string;
  readonly input: ShellInput;
  /** The program tool's own judgement of this use; null for the shell. */
  readonly use: ProgramUse | null;
  /** The requester: an agent through a session, or the person who typed the call. */
  readonly caller: "agent" | "person";
  /** The agent's name, as its host calls it; null if there is only one. */
  readonly agent: string | null;
  /**
   * The program's standard input. The content of a stream is unknown beforehand. `typed`: input from the window of its
   * own terminal.
   */
  readonly stdin: "none" | "stream" | "typed";
}

/** The words that a call runs: its own, a one-program script's, or the shell's. Just these are judged and shown. */
export function wordsOf(input: ShellInput): readonly [string, ...string[]] {
  if ("script" in input) return plainOf(input.script) ?? shellWords(input.script);
  const [first = "", ...rest] = input.argv;
  return [first, ...rest];
}

/** The script, if the call needs a shell; null if one program is started with its words. */
export function scriptOf(input: ShellInput): string | null {
  return "script" in input && plainOf(input.script) === null ? input.script : null;
}

/** Number of characters that a call runs. */
export function inputLength(input: ShellInput): number {
  return "script" in input ? input.script.length : input.argv.reduce((sum, word) => sum + word.length + 1, 0);
}

/** The parsed form of everything that a call runs. */
export function lineOf(input: ShellInput): ParsedLine {
  if ("script" in input) return parseLine(input.script);
  const words = wordsOf(input);
  return { commands: [{ words }], touches: [], unread: [], plain: words };
}

/** A longer line is never started without a shell, so it is not parsed for that. */
const MAX_PLAIN = 4_096;

function plainOf(script: string): ParsedLine["plain"] {
  return script.length > MAX_PLAIN ? null : parseLine(script).plain;
}

/** Parses an input of the shell tool. Throws `USAGE` that names the fault. */
export function readShellInput(given: unknown): ShellInput {
  assertWorthChecking("shell", given);
  const read = ShellInput.safeParse(given);
  if (read.success) return read.data;
  const error = wrongInput("shell", read.error, ShellInput, given);
  const hint = `${error.hint}; pass large data in a file or by standard input`;
  throw new CofferdamError(error.code, error.message, { hint });
}

/** The input as plain data, from which it can be parsed again. */
export function jsonInput(input: ShellInput): Json {
  const more = { ...(input.cwd === undefined ? {} : { cwd: input.cwd }), ...jsonPorts(input) };
  return "script" in input ? { script: input.script, ...more } : { argv: input.argv, ...more };
}

/** The ports that an input requests, as plain data; empty if it requests none. */
export function jsonPorts({ ports }: Pick<ShellInput, "ports">): { readonly ports?: number[] } {
  return ports === undefined ? {} : { ports: [...ports] };
}

/** `--` keeps the beginning of a line from being read as an option: `+x`. */
function shellWords(script: string): readonly [string, ...string[]] {
  return ["bash", "--noprofile", "--norc", "-c", "--", script];
}

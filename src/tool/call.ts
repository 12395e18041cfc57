import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Risk } from "../policy/risk.ts";
import type { ToolSaid } from "../policy/rule-hit.ts";
import { PortsSection } from "../profile/ports.ts";
import { type ParsedLine, parseLine } from "../shell/parse.ts";
import { byteLength, tooLargeToStart } from "./start-size.ts";
import { assertWorthChecking } from "./wrong-input.ts";

/** The longest path that the kernel takes, without the NUL behind it (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_BYTES = 4_095;

/** The ports that a call asks for: a call that asks for none has none open, whatever its config lists. */
const CallPorts = PortsSection.min(1)
  .readonly()
  .describe(
    "ports of this machine's loopback on which a server that it starts is reached, of those that the config lists",
  )
  .optional();

const HALF = "half a character (a lone surrogate)";

/** Node gives a program U+FFFD for half a character, so the words that were approved would not be those that run. */
const isRunAsShown = (word: string): boolean => word.isWellFormed();

/**
 * What the shell tool takes: words that are run as they are, or a line for the shell; where, relative to the caller. What
 * no program could be started with is refused here, by what is too large and how large it is.
 */
export const ShellInput = z
  .union(
    [
      z.strictObject({
        argv: z
          .array(
            z
              .string()
              .regex(/^[^\0]*$/, "a word can't hold NUL")
              .refine(isRunAsShown, `a word can't hold ${HALF}`),
          )
          .min(1, "a call needs a word to run")
          .readonly(),
        cwd: z.string().optional(),
        ports: CallPorts,
      }),
      z.strictObject({
        script: z
          .string()
          .min(1)
          .regex(/^[^\0]*$/, "a script can't hold NUL")
          .refine(isRunAsShown, `a script can't hold ${HALF}`),
        cwd: z.string().optional(),
        ports: CallPorts,
      }),
    ],
    { error: "the shell tool takes `{ argv: [word, …] }` or `{ script }`" },
  )
  .superRefine((input, context) => {
    const cwdBytes = byteLength(input.cwd ?? "");
    const message =
      cwdBytes > MOST_PATH_BYTES
        ? `\`cwd\` has ${cwdBytes} bytes, ${MOST_PATH_BYTES} are the most for a path`
        : "script" in input
          ? tooLargeToStart(shellWords(input.script), {}, () => "the script")
          : tooLargeToStart(input.argv);
    if (message !== null) context.addIssue({ code: "custom", message });
  });
export type ShellInput = z.infer<typeof ShellInput>;

/** One use of a program that is a tool, as far as it is judged by itself. */
export interface ProgramUse {
  readonly version: string;
  readonly risk: Risk;
  readonly args: Json;
  /** What a yes for the session covers. */
  readonly payload: Json;
  /** Null for a tool that says nothing. */
  readonly said: ToolSaid | null;
  /** False: a yes holds once, and none that was given before answers. */
  readonly mayRemember: boolean;
  /** What would be done, in the tool's own words; null where it has none. */
  readonly description: string | null;
}

/** One tool invocation: what is to run, and who asks. */
export interface Call {
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  /** `shell`, or a program of the host's own. */
  readonly tool: string;
  readonly input: ShellInput;
  /** What a program of the host's own says about this use of it; null for the shell. */
  readonly use: ProgramUse | null;
  /** Who wants it: an agent through a session, or the person who typed it. */
  readonly caller: "agent" | "person";
  /** Which agent, as its host calls it; null where there is only one. */
  readonly agent: string | null;
  /**
   * What the program reads on its standard input; of a stream nobody knows beforehand what it will hold. `typed`: what
   * somebody types at the window of its own terminal.
   */
  readonly stdin: "none" | "stream" | "typed";
}

/**
 * The words that a call would run: those given, those of a script that is one program with plain words, or the shell with
 * the script as one word. What is run is what is judged, shown and bound to an approval.
 */
export function wordsOf(input: ShellInput): readonly [string, ...string[]] {
  if ("script" in input) return plainOf(input.script) ?? shellWords(input.script);
  const [first = "", ...rest] = input.argv;
  return [first, ...rest];
}

/** The script that a call needs a shell for; null where one program is started with its words. */
export function scriptOf(input: ShellInput): string | null {
  return "script" in input && plainOf(input.script) === null ? input.script : null;
}

/** How many characters a call would run. */
export function inputLength(input: ShellInput): number {
  return "script" in input ? input.script.length : input.argv.reduce((sum, word) => sum + word.length + 1, 0);
}

/** Everything that a call would run, taken apart. */
export function lineOf(input: ShellInput): ParsedLine {
  if ("script" in input) return parseLine(input.script);
  const words = wordsOf(input);
  return { commands: [{ words }], unread: [], plain: words };
}

/** No program is started by so long a line without a shell: it is not worth reading it for that. */
const MOST_PLAIN = 4_096;

function plainOf(script: string): ParsedLine["plain"] {
  return script.length > MOST_PLAIN ? null : parseLine(script).plain;
}

/** An input as the tool takes it. Throws `USAGE` with what is wrong with it. */
export function readShellInput(given: unknown): ShellInput {
  const hint = "pass `{ argv: [word, …] }`, and what is large by a file or by standard input";
  assertWorthChecking("shell", given, hint);
  const read = ShellInput.safeParse(given);
  if (read.success) return read.data;
  const message = read.error.issues[0]?.message ?? "the input is not the shell tool's";
  throw new CofferdamError("USAGE", message, { hint });
}

/** The same as plain data, from which it can be read again. */
export function jsonInput(input: ShellInput): Json {
  const more = { ...(input.cwd === undefined ? {} : { cwd: input.cwd }), ...jsonPorts(input) };
  return "script" in input ? { script: input.script, ...more } : { argv: input.argv, ...more };
}

/** The ports that an input asks for, as plain data; nothing where it asks for none. */
export function jsonPorts({ ports }: Pick<ShellInput, "ports">): { readonly ports?: number[] } {
  return ports === undefined ? {} : { ports: [...ports] };
}

/** Without `--`, what a line begins with could be an option: `+x`. */
function shellWords(script: string): readonly [string, ...string[]] {
  return ["bash", "--noprofile", "--norc", "-c", "--", script];
}

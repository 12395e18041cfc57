import { z } from "zod";

/** What the shell tool takes: words that are run as they are, or a line for the shell; where, relative to the caller. */
export const ShellInput = z.union(
  [
    z.strictObject({
      argv: z
        .array(z.string().regex(/^[^\0]*$/, "a word can't hold NUL"))
        .min(1)
        .readonly(),
      cwd: z.string().optional(),
    }),
    z.strictObject({
      script: z
        .string()
        .min(1)
        .regex(/^[^\0]*$/, "a script can't hold NUL"),
      cwd: z.string().optional(),
    }),
  ],
  { error: "the shell tool takes `{ argv: [word, …] }` or `{ script }`" },
);
export type ShellInput = z.infer<typeof ShellInput>;

/** One tool invocation: what is to run, and who asks. */
export interface Call {
  readonly callId: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly tool: "shell";
  readonly input: ShellInput;
  /** Who wants it: an agent through a session, or the person who typed it. */
  readonly caller: "agent" | "person";
}

/** The words that a call would run: those given, or the shell with the script as one word. */
export function wordsOf(input: ShellInput): readonly [string, ...string[]] {
  if ("script" in input) return ["bash", "--noprofile", "--norc", "-c", input.script];
  const [first = "", ...rest] = input.argv;
  return [first, ...rest];
}

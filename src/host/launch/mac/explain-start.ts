import { escapeInvisible } from "../../../errors.ts";

/** A launcher's end before the first message of its start program, and its own output. */
export interface EarlyEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** The cause, and the fix. */
export interface Explained {
  readonly message: string;
  readonly hint: string;
}

/** `EX_OSERR` of sysexits(3): the system refused. The other statuses are undocumented. */
const REFUSED = 71;

/** Signals of a compiler's crash: an assertion, an illegal instruction, a trap. */
const CRASHES: readonly string[] = ["SIGABRT", "SIGILL", "SIGTRAP", "SIGSEGV", "SIGBUS"];

/**
 * Explains an early end. The launcher's messages begin with its name, and no program runs yet that could forge them.
 * Any process could end with the same status, so statuses count only together with such a message.
 */
export function explainEarlyEnd({ code, signal, stderr }: EarlyEnd): Explained {
  const own = stderr.split("\n").filter((line) => line.startsWith("sandbox-exec: "));
  const word = (own.at(-1) ?? stderr.trim().split("\n").at(-1) ?? "").replace(/^sandbox-exec: /, "");
  const said = word === "" ? "" : `: ${escapeInvisible(word)}`;
  if (code === REFUSED && /sandbox_apply: Operation not permitted/.test(stderr))
    return {
      message: "no sandbox can be entered: this process already runs in one",
      hint: "run this command outside of it: macOS does not nest sandboxes",
    };
  if (own.some((line) => /execvp\(\) of/.test(line)))
    return {
      message: `the shell of the start program could not be started in the sandbox${said}`,
      hint: "add `system` to `sandbox.runtimes`, or run `cofferdam doctor`",
    };
  if (signal !== null && CRASHES.includes(signal))
    return {
      message: `the compiler of the sandbox rules crashed with ${signal}${said}`,
      hint: "shorten the lists of paths and masks of this call, or run `cofferdam doctor`",
    };
  if (own.length > 0)
    return {
      message: `the sandbox rules were rejected${said}`,
      hint: "run `cofferdam doctor`, and report this: cofferdam wrote the rules",
    };
  const how = signal === null ? `status ${code ?? "none"}` : signal;
  return {
    message: `the sandbox could not be built: the launcher ended with ${how}${said}`,
    hint: "run `cofferdam doctor`",
  };
}

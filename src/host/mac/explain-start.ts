import { escapeInvisible } from "../../errors.ts";

/** How a launcher ended before its gate said anything, and what it said itself. */
export interface EarlyEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** What that means, and what mends it. */
export interface Explained {
  readonly message: string;
  readonly hint: string;
}

/** `EX_OSERR` of sysexits(3): what the system refused. The rest of its statuses nobody has written down. */
const REFUSED = 71;

/** What a compiler's crash ends with: an assertion, an instruction that there is not, a trap. */
const CRASHES: readonly string[] = ["SIGABRT", "SIGILL", "SIGTRAP", "SIGSEGV", "SIGBUS"];

/**
 * What an early end means. The launcher's own words begin with its name; before the gate has spoken nothing of a program
 * runs, so that nobody else can have said them. Its statuses are only believed together with them, where anybody could end
 * with the same.
 */
export function explainEarlyEnd({ code, signal, stderr }: EarlyEnd): Explained {
  const own = stderr.split("\n").filter((line) => line.startsWith("sandbox-exec: "));
  const word = (own.at(-1) ?? stderr.trim().split("\n").at(-1) ?? "").replace(/^sandbox-exec: /, "");
  const said = word === "" ? "" : `: ${escapeInvisible(word)}`;
  if (code === REFUSED && /sandbox_apply: Operation not permitted/.test(stderr))
    return {
      message: "no sandbox can be entered: this process already runs inside one",
      hint: "run this command outside of it: macOS does not put one sandbox into another",
    };
  if (own.some((line) => /execvp\(\) of/.test(line)))
    return {
      message: `the shell at the gate could not be started inside the walls${said}`,
      hint: "add `system` to `sandbox.runtimes`, or run `cofferdam doctor`",
    };
  if (signal !== null && CRASHES.includes(signal))
    return {
      message: `what compiles the rules crashed with ${signal}${said}`,
      hint: "shorten the lists of paths and masks of this call, or run `cofferdam doctor`",
    };
  if (own.length > 0)
    return {
      message: `the rules of the walls were not taken${said}`,
      hint: "run `cofferdam doctor`, and report this: the text is made by cofferdam",
    };
  const how = signal === null ? `status ${code ?? "none"}` : signal;
  return {
    message: `the walls could not be built: the launcher ended with ${how}${said}`,
    hint: "run `cofferdam doctor`",
  };
}

import type { DecidedCall } from "../approval/gate-result.ts";
import { spelledInput } from "../decide/binding.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { grantedView } from "../decide/granted-view.ts";
import type { Prepared } from "../decide/prepare.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import { printPorts } from "../profile/ports.ts";
import { type QuotedHead, quotedHead } from "../shell/quote.ts";
import { type Call, jsonPorts, type ShellInput, scriptOf, wordsOf } from "../tool/call.ts";

/** One decided call that runs a program, as a question for the gate. */
export interface DecidedProgram extends DecidedCall {
  readonly prepared: Prepared;
}

/** The question about a prepared call: the command as it will be run, its folder and its profile. */
export function decidedShell(call: Call, prepared: Prepared, policy: CallPolicy): DecidedProgram {
  const { verdict, withApproval, argsHash, grantKey, bound, generalised } = prepared;
  const cwd = withApproval.launch?.cwd ?? call.input.cwd ?? ".";
  const words = wordsOf(call.input);
  const script = scriptOf(call.input);
  const shown = script === null ? quotedHead(words, MAX_SHOWN) : { line: script, rest: [] };
  const input = spelledInput(asRun(call.input));
  return {
    prepared,
    verdict,
    argsHash,
    grantKey,
    bound,
    ...(generalised === undefined ? {} : { generalised }),
    groupId: null,
    summarize: () => ({
      risk: "write",
      description: describe(call, script !== null, shown),
      ...redact({ ...input, ...(call.stdin === "none" ? {} : { stdin: call.stdin }) }),
      covers: coversOf(call, shown, cwd),
      folder: spelledOut(cwd),
      granted: grantedView(withApproval, policy.settings),
    }),
    preview: async () => {
      const { presentCommand } = await import("../approval/present.ts");
      // Shown whole: the author of a command could hide a part of it as a secret.
      return presentCommand({ words, script: script ?? undefined, cwd });
    },
  };
}

/** Maximum of characters of a command: no message shows more, neither of its action nor of an approval's scope. */
const MAX_SHOWN = 4_096;
const MAX_DESCRIBED = 200;

/** A script that needs no shell is shown as the words that are run. */
function asRun(input: ShellInput): ShellInput {
  if (!("script" in input) || scriptOf(input) !== null) return input;
  return {
    argv: wordsOf(input),
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...jsonPorts(input),
  };
}

function describe(call: Call, isScript: boolean, { line, rest }: QuotedHead): string {
  // The first line names a script with several lines well enough: the request shows the whole script as well.
  const lines = isScript ? line.trim().split("\n") : [line];
  const { text, isWhole: isLineWhole } = redactText(lines[0] ?? "", MAX_DESCRIBED);
  const isWhole = isLineWhole && rest.length === 0 && lines.length === 1;
  const script = lines.length === 1 ? "run the script" : `run the script of ${lines.length} lines`;
  const what = isScript ? script : "run";
  return `${what} ${text}${isWhole ? "" : " …"}${INPUTS[call.stdin]}${portWords(call.input)}`;
}

function portWords({ ports = [] }: ShellInput): string {
  if (ports.length === 0) return "";
  return `, reached at ${ports.length === 1 ? "port" : "ports"} ${printPorts(ports)} of this machine`;
}

const INPUTS = {
  none: "",
  stream: ", with an unchecked input stream",
  typed: ", on a terminal of its own",
} as const satisfies Record<Call["stdin"], string>;

/** The scope of an approval for the session; null if it can't be shown whole, as with a program's input stream. */
function coversOf(call: Call, { line, rest }: QuotedHead, cwd: string): string | null {
  const isWhole =
    rest.length === 0 &&
    redactText(line).isWhole &&
    isShownWhole(redact(spelledInput(asRun(call.input))).redactions);
  if (!isWhole || call.stdin !== "none") return null;
  const where = `in ${cwd}${portWords(call.input)}`;
  return scriptOf(call.input) !== null
    ? `${where}, this script for bash: ${line}`
    : `${where}, exactly: ${line}`;
}

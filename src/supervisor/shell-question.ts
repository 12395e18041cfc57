import type { Question } from "../approval/question.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import { printPorts } from "../profile/ports.ts";
import { type QuotedHead, quotedHead } from "../shell/quote.ts";
import { type Call, jsonPorts, type ShellInput, scriptOf, wordsOf } from "../tool/call.ts";
import { spelledInput } from "./binding.ts";
import { grantedView } from "./granted-view.ts";
import type { Prepared } from "./prepare.ts";
import type { Standing } from "./standing.ts";

/** One call that runs a program, decided, as a question that the gate can put. */
export interface ProgramQuestion extends Question {
  readonly prepared: Prepared;
}

/** The question about a prepared call: the command as it will be run, in which folder, under which profile. */
export function shellQuestion(call: Call, prepared: Prepared, standing: Standing): ProgramQuestion {
  const { verdict, onYes, argsHash, grantKey } = prepared;
  const cwd = onYes.launch?.cwd ?? call.input.cwd ?? ".";
  const words = wordsOf(call.input);
  const script = scriptOf(call.input);
  const shown = script === null ? quotedHead(words, MOST_SHOWN) : { line: script, rest: [] };
  const input = spelledInput(asRun(call.input));
  return {
    prepared,
    verdict,
    argsHash,
    grantKey,
    groupId: null,
    show: () => ({
      risk: "write",
      description: describe(call, script !== null, shown),
      ...redact({ ...input, ...(call.stdin === "none" ? {} : { stdin: call.stdin }) }),
      covers: coversOf(call, shown, cwd),
      granted: grantedView(onYes, standing.settings),
    }),
    present: async () => {
      const { presentCommand } = await import("../approval/present.ts");
      // Whole: whoever can write a command could hide a part of it as a secret.
      return presentCommand({ words, script: script ?? undefined, cwd });
    },
  };
}

/** How many characters of a command are put together at most: no message shows more, neither of what it does nor of what a yes covers. */
const MOST_SHOWN = 4_096;
/** So much of a command stands in its one line. */
const MOST_DESCRIBED = 200;

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
  const { text, isWhole: isLineWhole } = redactText(line, MOST_DESCRIBED);
  const isWhole = isLineWhole && rest.length === 0;
  const what = isScript ? "run the script" : "run";
  return `${what} ${text}${isWhole ? "" : " …"}${INPUTS[call.stdin]}${portWords(call.input)}`;
}

/** By which ports what it starts is reached. */
function portWords({ ports = [] }: ShellInput): string {
  if (ports.length === 0) return "";
  return `, reached at ${ports.length === 1 ? "port" : "ports"} ${printPorts(ports)} of this machine`;
}

/** What is said of a program's input. */
const INPUTS = {
  none: "",
  stream: ", with an input that nobody has seen",
  typed: ", on a terminal of its own",
} as const satisfies Record<Call["stdin"], string>;

/** What a yes for the session covers; null where it can't be told whole, as what a program reads from a stream can't. */
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

import type { Question } from "../approval/question.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import { quoted } from "../shell/quote.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import { spelledInput } from "./binding.ts";
import { grantedView } from "./granted-view.ts";
import type { Prepared, Standing } from "./prepare.ts";

/** One call of the shell tool, decided, as a question that the gate can put. */
export interface ShellQuestion extends Question {
  readonly prepared: Prepared;
}

/** The question about a prepared call: the command as it will be run, in which folder, under which profile. */
export function shellQuestion(call: Call, prepared: Prepared, standing: Standing): ShellQuestion {
  const { verdict, onYes, argsHash, grantKey } = prepared;
  const cwd = onYes.launch?.cwd ?? call.input.cwd ?? ".";
  const line = "script" in call.input ? call.input.script : quoted(wordsOf(call.input));
  return {
    prepared,
    verdict,
    argsHash,
    grantKey,
    groupId: null,
    show: () => ({
      risk: "write",
      description: describe(call, line),
      ...redact({ ...spelledInput(call.input), ...(call.stdin === "none" ? {} : { stdin: call.stdin }) }),
      covers: coversOf(call, line, cwd),
      granted: grantedView(onYes, standing.settings),
    }),
    present: async () => {
      const { presentCommand } = await import("../approval/present.ts");
      const script = "script" in call.input ? call.input.script : undefined;
      // Whole: whoever can write a command could hide a part of it as a secret.
      return presentCommand({ words: wordsOf(call.input), script, cwd });
    },
  };
}

/** So much of a command stands in its one line. */
const MOST_DESCRIBED = 200;

function describe(call: Call, line: string): string {
  const { text, isWhole } = redactText(line, MOST_DESCRIBED);
  const input = call.stdin === "none" ? "" : ", with an input that nobody has seen";
  const what = "script" in call.input ? "run the script" : "run";
  return `${what} ${text}${isWhole ? "" : " …"}${input}`;
}

/** What a yes for the session covers; null where it can't be told whole, as what a program reads from a stream can't. */
function coversOf(call: Call, line: string, cwd: string): string | null {
  const isWhole = redactText(line).isWhole && isShownWhole(redact(spelledInput(call.input)).redactions);
  if (!isWhole || call.stdin !== "none") return null;
  return "script" in call.input ? `in ${cwd}, this script for bash: ${line}` : `in ${cwd}, exactly: ${line}`;
}

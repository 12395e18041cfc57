import { readFileSync } from "node:fs";
import { TerminalScreen } from "../../channel/screen.ts";
import type { Outcome } from "../../decide/outcome.ts";
import { CofferdamError } from "../../errors.ts";
import { type Json, parseJson } from "../../policy/canonical-json.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import type { SupervisorOptions } from "../../session/supervisor-options.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { askersFor } from "../askers.ts";
import { reportCall } from "../call-outcome.ts";
import { type SignalScope, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { reportStart } from "../start-notes.ts";
import { KeptOutput, passOn } from "../tool-output.ts";

const OPTIONS = {
  ...COMMON,
  "approve-all": { type: "boolean" },
  strict: { type: "boolean" },
  suspend: { type: "boolean" },
  quiet: { type: "boolean" },
} as const;

/** Calls one tool once, through the whole gate, as an agent would. See `cofferdam call --help`. */
export async function call(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("call", args, OPTIONS);
  parseWords("call", positionals, ["TOOL", "JSON"]);
  const [tool = "", text = ""] = positionals;
  const { strict = false, json = false, quiet = false, suspend = false } = values;
  const approveAll = values["approve-all"] ?? false;
  if (approveAll && strict)
    throw usage("call", "`--approve-all` and `--strict` cannot be combined", "remove one of them");
  const mode = strict ? "strict" : approveAll ? "approve_all" : null;
  const options: SupervisorOptions = { ...chosen(values), ...(mode === null ? {} : { mode }) };
  const input = readInput(text);
  return untilSignalled((ending) => callOne({ tool, input, options, json, quiet, suspend }, ending, print));
}

interface OneCall {
  readonly tool: string;
  readonly input: Json;
  readonly options: SupervisorOptions;
  readonly json: boolean;
  readonly quiet: boolean;
  /** True if no call waits for the answer. */
  readonly suspend: boolean;
}

/** The input as it was typed, or from standard input for `-`. Throws `USAGE` for invalid JSON. */
function readInput(text: string): Json {
  try {
    return parseJson(text === "-" ? readFileSync(0, "utf8") : text);
  } catch (cause) {
    if (!(cause instanceof CofferdamError)) throw cause;
    throw usage(
      "call",
      cause.message,
      'write the input as JSON: cofferdam call read_file \'{"path": "a.md"}\'',
    );
  }
}

async function callOne(one: OneCall, ending: SignalScope, print: Print): Promise<number> {
  await using supervisor = await createSupervisor(one.options);
  const { loaded, host } = supervisor.shared;
  reportStart(supervisor.shared, print, one);
  const signal = AbortSignal.any([ending.signal, print.broken]);
  if (signal.aborted) return 0;
  const screen = new TerminalScreen();
  await using session = supervisor.session({
    // This session ends with its only call.
    remember: false,
    handler: one.suspend ? [] : askersFor({ host, screen, print, approval: loaded.config.approval }),
    ...(one.suspend ? { wait: { style: "suspend" } } : {}),
  });
  const tool = knownWord(
    "call",
    "tool",
    one.tool,
    session.tools().map(({ name }) => name),
  );
  const output = one.json ? new KeptOutput() : passOn(print, signal, screen);
  const sinks = tool === "shell" ? { sinks: output.sinks } : {};
  const outcome: Outcome = await session.call(tool, one.input, { signal, ...sinks });
  const atEnd = withoutRepeats(outcome);
  const isKept = loaded.config.approval.store !== "memory";
  return await reportCall(isKept ? offeringSuspend(atEnd) : atEnd, output, one.json, ending, print);
}

/** A repetition would be another session's call, which asks no person because of this one. */
function withoutRepeats(outcome: Outcome): Outcome {
  if (!("denials" in outcome) || outcome.denials === undefined) return outcome;
  const denials = outcome.denials.map((denial) => {
    const { askable, ...rest } = denial;
    if (askable === undefined) return denial;
    const key = denial.operation === "read" ? "read_approval" : "write_approval";
    return {
      ...rest,
      remedy: `set \`${key}: false\` for this root, or remove the rule that runs the command without approval`,
    };
  });
  return { ...outcome, denials };
}

/** A call that no person could be asked about can be stored and answered later. */
function offeringSuspend(outcome: Outcome): Outcome {
  if (outcome.kind !== "denied" || outcome.deniedBy !== "nobody") return outcome;
  const hint = `${outcome.hint}; or add \`--suspend\`: the request is kept, and \`cofferdam resume\` runs the call later`;
  return { ...outcome, hint };
}

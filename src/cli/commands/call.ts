import { readFileSync } from "node:fs";
import type { ApprovalHandler } from "../../approval/handler.ts";
import { Screen } from "../../channel/screen.ts";
import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { type Json, parseJson } from "../../policy/canonical-json.ts";
import type { Outcome, ValueOutcome } from "../../supervisor/outcome.ts";
import { createSupervisor, type SupervisorOptions } from "../../supervisor/supervisor.ts";
import { COMMON, chosen, knownWord, readArguments, takeWords, usage } from "../arguments.ts";
import { type Ending, untilSignalled } from "../ending.ts";
import { tellFailure, tellThree } from "../failure.ts";
import { exitOf, outcomeJson, tellOutcome } from "../outcome-text.ts";
import type { Print } from "../print.ts";
import { KeptOutput, passOn, type ToolOutput } from "../tool-output.ts";

const OPTIONS = {
  ...COMMON,
  "approve-all": { type: "boolean" },
  strict: { type: "boolean" },
  quiet: { type: "boolean" },
} as const;

/** Calls one tool once, through the whole gate, as an agent would. See `cofferdam call --help`. */
export async function call(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("call", args, OPTIONS);
  takeWords("call", positionals, ["TOOL", "JSON"]);
  const [tool = "", text = ""] = positionals;
  const { strict = false, json = false, quiet = false } = values;
  const approveAll = values["approve-all"] ?? false;
  if (approveAll && strict)
    throw usage("call", "`--approve-all` and `--strict` contradict each other", "leave one of them out");
  const mode = strict ? "strict" : approveAll ? "approve_all" : null;
  const options: SupervisorOptions = { ...chosen(values), ...(mode === null ? {} : { mode }) };
  const input = readInput(text);
  return untilSignalled((ending) => callOne({ tool, input, options, json, quiet }, ending, print));
}

interface OneCall {
  readonly tool: string;
  readonly input: Json;
  readonly options: SupervisorOptions;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The input as it was typed, or what stands on standard input for `-`. Throws `USAGE` for what is no JSON. */
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

async function callOne(one: OneCall, ending: Ending, print: Print): Promise<number> {
  await using supervisor = await createSupervisor(one.options);
  const { loaded, host } = supervisor.shared;
  const { dim } = print.talkInk;
  if (!one.quiet) for (const note of loaded.notes) print.talk(dim(`cofferdam: ${escapeInvisible(note)}`));
  const signal = AbortSignal.any([ending.signal, print.broken]);
  if (signal.aborted) return 0;
  const screen = new Screen();
  await using session = supervisor.session({
    // This session is over with its one call.
    remember: false,
    handler: async (request, asking) => (await terminal()).requestApproval(request, asking),
  });
  const terminal = async (): Promise<ApprovalHandler> => {
    const { terminalHandler } = await import("../../channel/terminal.ts");
    return terminalHandler({ person: host.user.name, env: host.env, screen });
  };
  const tool = knownWord(
    "call",
    "tool",
    one.tool,
    session.tools().map(({ name }) => name),
  );
  const output = one.json ? new KeptOutput() : passOn(print, signal, screen);
  const sinks = tool === "shell" ? { sinks: output.sinks } : {};
  const outcome: Outcome = await session.call(tool, one.input, { signal, ...sinks });
  return await tell(outcome, output, one, ending, print);
}

async function tell(
  outcome: Outcome,
  output: KeptOutput | ToolOutput,
  { json }: OneCall,
  ending: Ending,
  print: Print,
): Promise<number> {
  if (isValue(outcome)) return tellValue(outcome, json, print);
  if (output instanceof KeptOutput) print.json(outcomeJson(outcome, output, ending.status() ?? undefined));
  else {
    await output.finish();
    tellOutcome(outcome, print);
    tellDenials(outcome, print);
  }
  return exitOf(outcome);
}

function isValue(outcome: Outcome): outcome is Extract<ValueOutcome, { readonly kind: "done" | "failed" }> {
  return "value" in outcome || "error" in outcome;
}

/** The value is the result, as JSON; what a tool could not do is told as any other failure. */
function tellValue(
  outcome: Extract<ValueOutcome, { readonly kind: "done" | "failed" }>,
  json: boolean,
  print: Print,
): number {
  if (outcome.kind === "failed") {
    const { error } = outcome;
    return tellFailure(print, error, json);
  }
  const { kind, value, receipt, durationMs } = outcome;
  if (json) print.json({ outcome: { kind, durationMs, value }, exit: 0, receipt });
  else print.json(value ?? null);
  return 0;
}

/** Of several things that were not given, all but the first, which is the reason. */
function tellDenials(outcome: Outcome, print: Print): void {
  if (outcome.kind !== "denied") return;
  for (const { operation, target, because, remedy } of outcome.denials?.slice(1) ?? [])
    tellThree(print, `denied to ${operation} ${visible(target)}: ${because}`, null, remedy);
}

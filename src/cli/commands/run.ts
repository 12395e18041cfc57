import { fstatSync } from "node:fs";
import { isatty } from "node:tty";
import { TerminalScreen } from "../../channel/screen.ts";
import { NETWORK_TOOL } from "../../decide/network-use.ts";
import type { ProgramOutcome } from "../../decide/outcome.ts";
import type { CofferdamError } from "../../errors.ts";
import { thisHost } from "../../host/look/host.ts";
import type { Decision } from "../../policy/decision.ts";
import { KEEP_TOOL } from "../../policy/keep-tool.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import type { SupervisorOptions } from "../../session/supervisor-options.ts";
import { quote } from "../../shell/quote.ts";
import type { ShellInput } from "../../tool/call.ts";
import { COMMON, chosen, readArguments, usage } from "../arguments.ts";
import { askersFor } from "../askers.ts";
import { type SignalScope, untilSignalled } from "../ending.ts";
import type { LentTerminal } from "../lent-terminal.ts";
import { exitOf, outcomeJson, reportMade, reportOutcome } from "../outcome-text.ts";
import { lendTerminal, type OwnTerminal, ownTerminalFor, terminalNotes } from "../own-terminal.ts";
import type { Print } from "../print.ts";
import { reportStart } from "../start-notes.ts";
import { readPort } from "../target.ts";
import { KeptOutput, passOn } from "../tool-output.ts";

const OPTIONS = {
  ...COMMON,
  ask: { type: "boolean" },
  strict: { type: "boolean" },
  terminal: { type: "boolean" },
  "no-terminal": { type: "boolean" },
  port: { type: "string", multiple: true },
  "dry-run": { type: "boolean" },
  quiet: { type: "boolean" },
} as const;

type Argv = readonly [string, ...string[]];

type CommandInput = Extract<ShellInput, { readonly argv: unknown }>;

/** Runs one command that a person typed. The exit status is the command's own; see `cofferdam run --help`. */
export async function run(args: readonly string[], print: Print): Promise<number> {
  const { values, argv } = readRun(args);
  const ports = (values.port ?? []).map((text) => readPort("run", text));
  const input: CommandInput = { argv, ...(ports.length === 0 ? {} : { ports }) };
  const { ask = false, strict = false, json = false, quiet = false } = values;
  if (ask && strict) throw usage("run", "`--ask` and `--strict` cannot be combined", "remove one of them");
  const mode = strict ? ({ mode: "strict" } as const) : ask ? ({ mode: "interactive" } as const) : {};
  const host = thisHost();
  const own = ownTerminalFor(values, host);
  const terminal = own.isWanted === undefined ? {} : { terminal: own.isWanted };
  const options: SupervisorOptions = { ...chosen(values), ...mode, ...terminal, asksCaller: ask, host };
  if (values["dry-run"] === true) return (await import("../dry-run.ts")).dryRun(input, options, json, print);
  return untilSignalled((ending) => runOne(input, options, { json, quiet, own }, ending, print));
}

function readRun(args: readonly string[]) {
  const dashes = args.indexOf("--");
  if (dashes < 0) throw misplaced(args);
  const { values, positionals } = readArguments("run", args.slice(0, dashes), OPTIONS);
  const [program, ...rest] = args.slice(dashes + 1);
  if (positionals.length > 0) throw misplaced([...positionals, ...args.slice(dashes + 1)]);
  if (program === undefined) throw usage("run", "no command after `--`");
  const argv: Argv = [program, ...rest];
  return { values, argv };
}

function misplaced(args: readonly string[]): CofferdamError {
  const first = args.findIndex((word) => !word.startsWith("-"));
  const words = first < 0 ? "COMMAND" : quote(args.slice(first));
  return usage("run", "put the command after `--`", `write \`cofferdam run -- ${words}\``);
}

interface Manner {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly own: OwnTerminal;
}

async function runOne(
  command: CommandInput,
  options: SupervisorOptions,
  { json, quiet, own }: Manner,
  ending: SignalScope,
  print: Print,
): Promise<number> {
  const input = stdinFor();
  await using supervisor = await createSupervisor(options);
  const { loaded, host, policy } = supervisor.shared;
  reportStart(supervisor.shared, print, { quiet, more: terminalNotes(own, policy) });
  const signal = AbortSignal.any([ending.signal, print.broken]);
  if (signal.aborted) return 0;
  const screen = new TerminalScreen();
  const askers = askersFor({ host, screen, print, approval: loaded.config.approval });
  let wasAsked = false;
  let lent: LentTerminal | null = null;
  const session = supervisor.session({
    caller: "person",
    // This session ends with its only call.
    remember: false,
    handler: askers.map((asker) => ({
      requestApproval: async (request, asking) => {
        // No request while the command has the terminal: it would wait for an answer, and that for its end.
        if (lent !== null && request.tool === NETWORK_TOOL) return TERMINAL_IN_USE;
        // The command is over: the terminal is the person's again.
        if (request.tool === KEEP_TOOL) await lent?.[Symbol.asyncDispose]();
        wasAsked = true;
        return asker.requestApproval(request, asking);
      },
    })),
  });
  const output = json ? new KeptOutput() : passOn(print, signal, screen);
  const call = async (): Promise<ProgramOutcome> => {
    // The terminal is given back before anything is printed.
    await using its = lendTerminal(own, policy, { screen, print, host, wasAsked: () => wasAsked });
    lent = its;
    const window = its === null ? {} : { window: its, stdin: its.input, sinks: its.sinks };
    return await session.call("shell", command, { ...input, signal, sinks: output.sinks, ...window });
  };
  const outcome = await call();
  if ("error" in outcome) throw outcome.error;
  if (output instanceof KeptOutput) print.json(outcomeJson(outcome, output, ending.status() ?? undefined));
  else await output.finish();
  if (!json && !print.broken.aborted) (signal.aborted ? reportMade : reportOutcome)(outcome, print);
  return exitOf(outcome);
}

const TERMINAL_IN_USE: Decision = {
  status: "rejected",
  by: "nobody",
  note: "the command uses the terminal until it ends; to be asked, run it with `--no-terminal`",
};

/** A pipe or file is the command's input; the keyboard only with a lent terminal. */
function stdinFor(): { readonly stdin?: typeof process.stdin } {
  if (isatty(0)) return {};
  // An open folder would give access to everything around it.
  if (fstatSync(0).isDirectory())
    throw usage("run", "standard input is a folder", "use a file, a pipe, or `</dev/null`");
  return { stdin: process.stdin };
}

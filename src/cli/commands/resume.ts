import { TerminalScreen } from "../../channel/screen.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import { createDesk } from "../../session/desk.ts";
import { requestNamed } from "../../session/kept-request.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import type { SupervisorOptions } from "../../session/supervisor-options.ts";
import { COMMON, chosen, parseWords, readArguments } from "../arguments.ts";
import { askersFor } from "../askers.ts";
import { reportCall } from "../call-outcome.ts";
import { type SignalScope, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { reportStart } from "../start-notes.ts";
import { KeptOutput, passOn } from "../tool-output.ts";

const OPTIONS = { ...COMMON, quiet: { type: "boolean" } } as const;

/** Runs a call that was approved after it ended as pending. See `cofferdam resume --help`. */
export async function resume(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("resume", args, OPTIONS);
  parseWords("resume", positionals, ["ID"]);
  const [named = ""] = positionals;
  const { json = false, quiet = false } = values;
  return untilSignalled((ending) => resumeOne(named, chosen(values), { json, quiet }, ending, print));
}

async function resumeOne(
  named: string,
  options: SupervisorOptions,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  ending: SignalScope,
  print: Print,
): Promise<number> {
  const { approvalId, cwd } = await approvedCall(named, options);
  await using supervisor = await createSupervisor({ ...options, ...(cwd === null ? {} : { cwd }) });
  const { loaded, host } = supervisor.shared;
  reportStart(supervisor.shared, print, { quiet });
  const signal = AbortSignal.any([ending.signal, print.broken]);
  if (signal.aborted) return 0;
  const screen = new TerminalScreen();
  const output = json ? new KeptOutput() : passOn(print, signal, screen);
  const handler = askersFor({ host, screen, print, approval: loaded.config.approval });
  const outcome = await supervisor.resume(
    approvalId,
    { remember: false, handler },
    { signal, sinks: output.sinks },
  );
  return await reportCall(outcome, output, json, ending, print);
}

/** The whole id, and the folder of the original call: it is made again there, under the config of that folder. */
async function approvedCall(named: string, options: SupervisorOptions) {
  await using desk = await createDesk(options);
  const { approvalId } = (await requestNamed(desk.broker, named, "approved")).request;
  const call = await desk.broker.callOf(approvalId);
  return { approvalId, cwd: call !== null && isAbsolutePath(call.cwd) ? call.cwd : null };
}

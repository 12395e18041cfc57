import { Screen } from "../../channel/screen.ts";
import { type AbsolutePath, isAbsolutePath } from "../../profile/path.ts";
import { createDesk } from "../../supervisor/desk.ts";
import { keptRequest } from "../../supervisor/kept-request.ts";
import { createSupervisor, type SupervisorOptions } from "../../supervisor/supervisor.ts";
import { COMMON, chosen, readArguments, takeWords } from "../arguments.ts";
import { askersFor } from "../askers.ts";
import { tellCall } from "../call-outcome.ts";
import { type Ending, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { tellStart } from "../start-notes.ts";
import { KeptOutput, passOn } from "../tool-output.ts";

const OPTIONS = { ...COMMON, quiet: { type: "boolean" } } as const;

/** Runs what was asked about and has been approved since. See `cofferdam resume --help`. */
export async function resume(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("resume", args, OPTIONS);
  takeWords("resume", positionals, ["ID"]);
  const [approvalId = ""] = positionals;
  const { json = false, quiet = false } = values;
  return untilSignalled((ending) => resumeOne(approvalId, chosen(values), { json, quiet }, ending, print));
}

async function resumeOne(
  approvalId: string,
  options: SupervisorOptions,
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  ending: Ending,
  print: Print,
): Promise<number> {
  const cwd = await folderOf(approvalId, options);
  await using supervisor = await createSupervisor({ ...options, ...(cwd === null ? {} : { cwd }) });
  const { loaded, host } = supervisor.shared;
  tellStart(supervisor.shared, print, { quiet });
  const signal = AbortSignal.any([ending.signal, print.broken]);
  if (signal.aborted) return 0;
  const screen = new Screen();
  const output = json ? new KeptOutput() : passOn(print, signal, screen);
  const handler = askersFor({ host, screen, print, approval: loaded.config.approval });
  const outcome = await supervisor.resume(
    approvalId,
    { remember: false, handler },
    { signal, sinks: output.sinks },
  );
  return await tellCall(outcome, output, json, ending, print);
}

/** Where the call was made: there it is made again, under the config that applies there. */
async function folderOf(approvalId: string, options: SupervisorOptions): Promise<AbsolutePath | null> {
  await using desk = await createDesk(options);
  const { call } = await keptRequest(desk.broker, approvalId);
  return call !== null && isAbsolutePath(call.cwd) ? call.cwd : null;
}

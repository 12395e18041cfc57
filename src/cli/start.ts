import { dispatch } from "./dispatch.ts";
import { exitBySignals, unlessSignalled } from "./signals.ts";

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  // If the event loop empties before the command has returned, that is a failure, not a success.
  process.exitCode = 70;
  exitBySignals();
  process.exitCode = await dispatch(process.argv.slice(2));
  await unlessSignalled();
}

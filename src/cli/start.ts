import { dispatch } from "./dispatch.ts";
import { exitBySignals, unlessSignalled } from "./signals.ts";

/** Runs the command line of this process. */
export async function start(): Promise<void> {
  // Should nothing be left to wait for before the command has answered, that is a failure and no success.
  process.exitCode = 70;
  exitBySignals();
  process.exitCode = await dispatch(process.argv.slice(2));
  await unlessSignalled();
}

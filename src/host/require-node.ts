import { CofferdamError, ERRORS } from "../errors.ts";
import { tooOld } from "./node-version.ts";

/**
 * Every entry of the library imports this file first: on a Node that is too old the import throws `NODE_TOO_OLD`,
 * before anything else of the library is evaluated. Uncaught, it ends the process as the command line would.
 */
const why = tooOld(process.versions.node);
if (why !== null) {
  const error = new CofferdamError("NODE_TOO_OLD", why);
  process.once("uncaughtExceptionMonitor", (thrown) => {
    if (thrown !== error || process.listenerCount("uncaughtException") > 0) return;
    process.stderr.write(`${why}\n`);
    process.exit(ERRORS.NODE_TOO_OLD.exit);
  });
  throw error;
}

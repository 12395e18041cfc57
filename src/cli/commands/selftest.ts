import { ERRORS } from "../../errors.ts";
import { thisHost } from "../../host/look/host.ts";
import { parseWords, readArguments } from "../arguments.ts";
import { untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { problemsIn, showReport } from "../selftest-text.ts";

const OPTIONS = { json: { type: "boolean" }, all: { type: "boolean" } } as const;

/** Tries every attack, each with a control. Returns 69 if one is not refused. Leaves nothing behind after a signal. */
export async function selftest(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("selftest", args, OPTIONS);
  parseWords("selftest", positionals, []);
  const { runSelftest } = await import("../../selftest/run-selftest.ts");
  return untilSignalled(async ({ signal }) => {
    const report = await runSelftest(thisHost(), signal);
    if (values.json === true) print.json(report);
    else showReport(report, values.all === true, print);
    return problemsIn(report).length === 0 ? 0 : ERRORS.SANDBOX_UNAVAILABLE.exit;
  });
}

import { ERRORS } from "../../errors.ts";
import { thisHost } from "../../host/host.ts";
import { readArguments, takeWords } from "../arguments.ts";
import { untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { problemsIn, showReport } from "../selftest-text.ts";

const OPTIONS = { json: { type: "boolean" }, all: { type: "boolean" } } as const;

/**
 * Tries the battery of attacks on this machine, each beside its twin; 69 when one of them is not refused. Ended by a signal,
 * it leaves nothing of the battery.
 */
export async function selftest(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("selftest", args, OPTIONS);
  takeWords("selftest", positionals, []);
  const { runBattery } = await import("../../selftest/battery.ts");
  return untilSignalled(async ({ signal }) => {
    const report = await runBattery(thisHost(), signal);
    if (values.json === true) print.json(report);
    else showReport(report, values.all === true, print);
    return problemsIn(report).length === 0 ? 0 : ERRORS.SANDBOX_UNAVAILABLE.exit;
  });
}

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { z } from "zod";
import type { Launcher } from "../../../backend/facts.ts";
import { joinPath } from "../../../profile/path.ts";
import type { Host } from "../../host.ts";
import { readPlainText } from "../../plain-file.ts";
import { remember } from "../../state-files.ts";
import { probesFor } from "./all.ts";
import { logFinding } from "./log.ts";
import { type Probed, runProbes } from "./run.ts";

const Kept = z.strictObject({
  key: z.string(),
  findings: z.array(
    z.strictObject({
      id: z.string(),
      asks: z.string(),
      relies: z.string(),
      value: z.string(),
      says: z.string(),
      standing: z.enum(["expected", "harmless", "weaker", "problem", "not-tried"]),
      tookMs: z.number(),
    }),
  ),
});

/** More than all findings ever take. */
const MOST_BYTES = 1024 ** 2;

/**
 * What this Mac's kernel does: what was found under this build of macOS, or is found now. `keep` finds it anew, and keeps it
 * in the state folder; only then the log is asked, too, which takes seconds. Throws `SANDBOX_UNAVAILABLE`.
 */
export async function kernelFindings(
  host: Host,
  launcher: Launcher,
  memory: "keep" | "read",
): Promise<readonly Probed[]> {
  const file = joinPath(host.stateFolder, "kernel.json");
  const key = keyOf(host, launcher);
  const known = memory === "keep" ? null : read(file);
  if (known?.key === key) return known.findings;
  const found = await runProbes(launcher);
  if (memory === "read") return found;
  const findings = [...found, await logFinding(host, launcher)];
  remember(file, JSON.stringify({ key, findings }));
  return findings;
}

/** The build, the program, and the questions with what their answers mean: another version asks others. */
function keyOf({ arch, user }: Host, { path, version, shell }: Launcher): string {
  const { dev, ino, size, mtimeMs } = statSync(path);
  const at = (name: string): string => `/at/${name}`;
  const asked = probesFor(null).map(({ trials, ...probe }) => {
    const tried = trials.map((trial) => ({
      ...trial,
      text: trial.text(at),
      parameters: trial.parameters?.(at),
      acts: Object.entries(trial.acts).map(([name, act]) => [name, act(at)]),
    }));
    return { ...probe, tried };
  });
  const questions = createHash("sha256").update(JSON.stringify(asked)).digest("hex");
  return [version, path, dev, ino, size, mtimeMs, shell, arch, user.uid, questions].join(" ");
}

function read(file: string): z.infer<typeof Kept> | null {
  try {
    return Kept.parse(JSON.parse(readPlainText(file, MOST_BYTES) ?? ""));
  } catch {
    return null;
  }
}

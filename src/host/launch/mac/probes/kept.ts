import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { z } from "zod";
import type { Launcher } from "../../../../backend/facts.ts";
import { joinPath } from "../../../../profile/path.ts";
import type { Host } from "../../../look/host.ts";
import { readPlainText } from "../../../look/plain-file.ts";
import { orNull } from "../../../or-null.ts";
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

/** Maximum of bytes, more than all findings ever take. */
const MAX_BYTES = 1024 ** 2;

/**
 * Behavior of this Mac's kernel: findings stored for this build of macOS, or new ones. `keep` finds them again, and
 * stores them in the state folder; only then the log is read, too, which takes seconds. Throws `SANDBOX_UNAVAILABLE`.
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

/** The build, the program, and the probes with the meaning of their answers: another version asks others. */
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
  return orNull(() => Kept.parse(JSON.parse(readPlainText(file, MAX_BYTES) ?? "")));
}

import { z } from "zod";
import { joinPath } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { readPlainText } from "../look/plain-file.ts";
import { remember } from "./state-files.ts";

const SelfCheckFinding = z.strictObject({
  name: z.string(),
  protection: z.string(),
  holds: z.boolean(),
  control: z.boolean(),
});

/** One act that the sandbox must refuse, and whether the same act succeeds outside (its control). */
export type SelfCheckFinding = z.infer<typeof SelfCheckFinding>;

const SelfCheckResult = z.strictObject({
  key: z.string(),
  at: z.iso.datetime(),
  findings: z.array(SelfCheckFinding),
  /** A sandbox can be built in a shelter: see `hasShelter`. */
  hasShelter: z.boolean(),
  /** A symlink can be held by a mount on it: see `coversLinks`. */
  coversLinks: z.boolean(),
});

/** Acts that a sandbox here was seen to refuse, kept per launcher, kernel, user, feature set and table of attacks. */
export type SelfCheckResult = z.infer<typeof SelfCheckResult>;

const MAX_BYTES = 1024 ** 2;

/** The result that was kept for the same key; null if there is none. Writes nothing. */
export function keptResult({ stateFolder }: Pick<Host, "stateFolder">, key: string): SelfCheckResult | null {
  try {
    const kept = SelfCheckResult.parse(JSON.parse(readPlainText(fileIn(stateFolder), MAX_BYTES) ?? ""));
    return kept.key === key ? kept : null;
  } catch {
    return null;
  }
}

export function keepResult({ stateFolder }: Pick<Host, "stateFolder">, result: SelfCheckResult): void {
  remember(fileIn(stateFolder), JSON.stringify(result));
}

function fileIn(stateFolder: Host["stateFolder"]): Host["stateFolder"] {
  return joinPath(stateFolder, "attestation.json");
}

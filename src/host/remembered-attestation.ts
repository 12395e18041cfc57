import { joinPath } from "../profile/path.ts";
import { Attestation } from "./attestation.ts";
import type { Host } from "./host.ts";
import { readPlainText } from "./plain-file.ts";
import { remember } from "./state-files.ts";

/** More than an attestation ever says. */
const MOST_BYTES = 1024 ** 2;

/** What was found before for the same key; null where nothing was. Writes nothing. */
export function rememberedAttestation(
  { stateFolder }: Pick<Host, "stateFolder">,
  key: string,
): Attestation | null {
  try {
    const known = Attestation.parse(JSON.parse(readPlainText(fileIn(stateFolder), MOST_BYTES) ?? ""));
    return known.key === key ? known : null;
  } catch {
    return null;
  }
}

/** Keeps what was found. */
export function rememberAttestation(
  { stateFolder }: Pick<Host, "stateFolder">,
  attestation: Attestation,
): void {
  remember(fileIn(stateFolder), JSON.stringify(attestation));
}

function fileIn(stateFolder: Host["stateFolder"]): Host["stateFolder"] {
  return joinPath(stateFolder, "attestation.json");
}

import { type AbsolutePath, joinPath } from "../profile/path.ts";
import type { Runtime } from "../tool/facts.ts";
import { Attestation, type Finding } from "./attestation.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { readPlainText } from "./plain-file.ts";
import { platformOf } from "./platform.ts";
import { remember } from "./state-files.ts";

/**
 * Tries the battery in a real sandbox, or takes the result remembered for this launcher, kernel, user and feature set.
 * Throws `SANDBOX_UNAVAILABLE` when no sandbox can be started at all.
 */
export async function attest(
  host: Host,
  standing: StandingFacts,
  system: Runtime,
  isFresh = false,
): Promise<Attestation> {
  const platform = platformOf(host);
  const key = platform.attestedFor(host, standing);
  const file = joinPath(host.stateFolder, "attestation.json");
  const known = isFresh ? null : readAttestation(file);
  if (known?.key === key) return known;
  const attestation = {
    key,
    at: new Date(host.now()).toISOString(),
    ...(await platform.battery(host, standing, system)),
  };
  remember(file, JSON.stringify(attestation));
  return attestation;
}

/** The attacks that succeeded inside, or whose control did not outside: each weakens its protection. */
export function failures(attestation: Attestation): readonly Finding[] {
  return attestation.findings.filter((finding) => !finding.holds);
}

/** More than an attestation ever says. */
const MOST_BYTES = 1024 ** 2;

function readAttestation(file: AbsolutePath): Attestation | null {
  try {
    return Attestation.parse(JSON.parse(readPlainText(file, MOST_BYTES) ?? ""));
  } catch {
    return null;
  }
}

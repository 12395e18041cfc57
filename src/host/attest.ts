import type { Runtime } from "../tool/facts.ts";
import type { Attestation, Finding } from "./attestation.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { platformOf } from "./platform.ts";
import { rememberAttestation, rememberedAttestation } from "./remembered-attestation.ts";

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
  const known = isFresh ? null : rememberedAttestation(host, key);
  if (known !== null) return known;
  const attestation = {
    key,
    at: new Date(host.now()).toISOString(),
    ...(await platform.battery(host, standing, system)),
  };
  rememberAttestation(host, attestation);
  return attestation;
}

/** The attacks that succeeded inside, or whose control did not outside: each weakens its protection. */
export function failures(attestation: Attestation): readonly Finding[] {
  return attestation.findings.filter((finding) => !finding.holds);
}

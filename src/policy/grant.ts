import { z } from "zod";
import type { HostRule } from "../profile/host-rule.ts";

/** The key of a grant: a call must equal it in every part. Digests are SHA-256 in hex. */
export const GrantKey = z
  .strictObject({
    cacheKey: z.string().describe("digest of the tool and its input"),
    toolVersion: z.string().describe("the version of the tool"),
    program: z.string().nullable().describe("digest of the program's path and content; null if none starts"),
    granted: z.string().nullable().describe("digest of the approved profile; null for a tool that has none"),
  })
  .readonly();
export type GrantKey = z.infer<typeof GrantKey>;

const remembered = {
  grantId: z.string().describe("the id of the grant"),
  sessionId: z.string().describe("the id of the session"),
  tool: z.string().describe("the name of the tool"),
  covers: z.string().describe("the calls or hosts that it covers, in the words that the person approved"),
  by: z.string().describe("the person or program that approved"),
  grantedAt: z.number().describe("milliseconds since 1970"),
};

const kindOf = <Kind extends "call" | "host">(kind: Kind) =>
  z.literal(kind).describe("`call`: it answers calls. `host`: it allows a host.");

/** An approval of a call: it answers the same call again. */
export const CallGrant = z
  .strictObject({
    kind: kindOf("call"),
    ...remembered,
    key: GrantKey.describe("equal for each covered call"),
  })
  .readonly();
export type CallGrant = z.infer<typeof CallGrant>;

/** An approval of a host: its public addresses are allowed on these ports, by exactly this name. It answers no call. */
export const HostGrant = z
  .strictObject({
    kind: kindOf("host"),
    ...remembered,
    host: z.string().describe("the name of the host, without its subdomains"),
    ports: z.array(z.int().min(1).max(65535)).readonly().describe("the ports of the host"),
  })
  .readonly();
export type HostGrant = z.infer<typeof HostGrant>;

/** An approval that is remembered until its session ends or it is revoked. */
export const Grant = z.discriminatedUnion("kind", [CallGrant, HostGrant]);
export type Grant = z.infer<typeof Grant>;

/** The grant that covers a call: equal in every part. */
export function findGrant(grants: readonly Grant[], key: GrantKey): CallGrant | null {
  const isSame = (one: GrantKey): boolean =>
    one.cacheKey === key.cacheKey &&
    one.toolVersion === key.toolVersion &&
    one.program === key.program &&
    one.granted === key.granted;
  return grants.find((grant): grant is CallGrant => grant.kind === "call" && isSame(grant.key)) ?? null;
}

/** The hosts that grants allow: each name with each of its ports, public addresses only. */
export function grantedHosts(grants: readonly Grant[]): readonly HostRule[] {
  return grants.flatMap((grant) =>
    grant.kind === "host" ? grant.ports.map((port) => ({ name: grant.host, port, private: false })) : [],
  );
}

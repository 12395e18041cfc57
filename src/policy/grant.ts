import { z } from "zod";
import type { HostRule } from "../profile/host-rule.ts";

/** What a grant must agree with in every part to answer a call. Digests are SHA-256 in hex. */
export const GrantKey = z
  .strictObject({
    /** Of tool and payload. */
    cacheKey: z.string(),
    toolVersion: z.string(),
    /** Which file the program is and what it holds; null for a tool that starts none. */
    program: z.string().nullable(),
    /** The profile that the yes was given for; null for a tool that has none. */
    granted: z.string().nullable(),
  })
  .readonly();
export type GrantKey = z.infer<typeof GrantKey>;

const remembered = {
  grantId: z.string(),
  sessionId: z.string(),
  tool: z.string(),
  /** What it covers, in words; what the person read before they said yes. */
  covers: z.string(),
  by: z.string(),
  /** Milliseconds since 1970. */
  grantedAt: z.number(),
};

/** A yes to a call: it answers the same call again. */
export const CallGrant = z.strictObject({ kind: z.literal("call"), ...remembered, key: GrantKey }).readonly();
export type CallGrant = z.infer<typeof CallGrant>;

/** A yes to a host: its public addresses may be reached on these ports, by exactly this name. It answers no call. */
export const HostGrant = z
  .strictObject({
    kind: z.literal("host"),
    ...remembered,
    /** A name in the spelling of a host rule. */
    host: z.string(),
    ports: z.array(z.int().min(1).max(65535)).readonly(),
  })
  .readonly();
export type HostGrant = z.infer<typeof HostGrant>;

/** A yes that is remembered until its session ends or somebody revokes it. */
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

/** The hosts that grants let be reached: each name with each of its ports, public addresses alone. */
export function grantedHosts(grants: readonly Grant[]): readonly HostRule[] {
  return grants.flatMap((grant) =>
    grant.kind === "host" ? grant.ports.map((port) => ({ name: grant.host, port, private: false })) : [],
  );
}

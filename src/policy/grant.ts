import { z } from "zod";
import type { HostRule } from "../profile/host-rule.ts";
import { CallCover, type CoverableCall, coversCall } from "./cover.ts";

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

const limited = {
  until: z.number().exactOptional().describe("milliseconds since 1970; absent: until the session ends"),
  maxUses: z.int().min(1).exactOptional().describe("how many calls it answers; absent: any number"),
};

const kindOf = <Kind extends "call" | "cover" | "rejection" | "host">(kind: Kind) =>
  z
    .literal(kind)
    .describe(
      "`call`: it answers the same call. `cover`: it answers similar calls. `rejection`: it rejects the same call. `host`: it allows a host.",
    );

/** An approval of a call: it answers the same call again. */
export const CallGrant = z
  .strictObject({
    kind: kindOf("call"),
    ...remembered,
    ...limited,
    key: GrantKey.describe("equal for each covered call"),
  })
  .readonly();
export type CallGrant = z.infer<typeof CallGrant>;

/** An approval of similar calls: those of a cover, while an approved call has the same profile. */
export const CoverGrant = z
  .strictObject({
    kind: kindOf("cover"),
    ...remembered,
    ...limited,
    cover: CallCover.describe("the covered calls"),
    granted: GrantKey.unwrap().shape.granted,
  })
  .readonly();
export type CoverGrant = z.infer<typeof CoverGrant>;

/** A rejection of the same call until the session ends. */
export const RejectionGrant = z
  .strictObject({
    kind: kindOf("rejection"),
    ...remembered,
    cacheKey: z.string().describe("digest of the tool and its input"),
  })
  .readonly();
export type RejectionGrant = z.infer<typeof RejectionGrant>;

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

/** An answer that is remembered until its session ends or it is revoked. */
export const Grant = z.discriminatedUnion("kind", [CallGrant, CoverGrant, RejectionGrant, HostGrant]);
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

/** How long a grant lasts from when it is given, and how many calls it answers; null without such a limit. */
export function boundsOf(grant: Grant): { readonly lastsMs: number | null; readonly maxUses: number | null } {
  if (grant.kind !== "call" && grant.kind !== "cover") return { lastsMs: null, maxUses: null };
  const { until, maxUses = null, grantedAt } = grant;
  return { lastsMs: until === undefined ? null : until - grantedAt, maxUses };
}

/** The rejection that holds for a call. */
export function findRejection(grants: readonly Grant[], cacheKey: string): RejectionGrant | null {
  return (
    grants.find((one): one is RejectionGrant => one.kind === "rejection" && one.cacheKey === cacheKey) ?? null
  );
}

/** The approval of similar calls that covers a call. */
export function findCoverGrant(
  grants: readonly Grant[],
  call: CoverableCall,
  granted: GrantKey["granted"],
): CoverGrant | null {
  const isCovering = (one: Grant): one is CoverGrant =>
    one.kind === "cover" && one.granted === granted && coversCall(one.cover, call);
  return grants.find(isCovering) ?? null;
}

/** The hosts that grants allow: each name with each of its ports, public addresses only. */
export function grantedHosts(grants: readonly Grant[]): readonly HostRule[] {
  return grants.flatMap((grant) =>
    grant.kind === "host" ? grant.ports.map((port) => ({ name: grant.host, port, private: false })) : [],
  );
}

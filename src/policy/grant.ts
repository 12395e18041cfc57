import { z } from "zod";

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

/** A yes that is remembered until its session ends or somebody revokes it. */
export const Grant = z
  .strictObject({
    grantId: z.string(),
    sessionId: z.string(),
    tool: z.string(),
    key: GrantKey,
    /** What it covers, in words; what the person read before they said yes. */
    covers: z.string(),
    by: z.string(),
    /** Milliseconds since 1970. */
    grantedAt: z.number(),
  })
  .readonly();
export type Grant = z.infer<typeof Grant>;

/** The grant that covers a call: equal in every part. */
export function findGrant(grants: readonly Grant[], key: GrantKey): Grant | null {
  const isSame = (one: GrantKey): boolean =>
    one.cacheKey === key.cacheKey &&
    one.toolVersion === key.toolVersion &&
    one.program === key.program &&
    one.granted === key.granted;
  return grants.find((grant) => isSame(grant.key)) ?? null;
}

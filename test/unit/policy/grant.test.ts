import { expect, test } from "vitest";
import { findGrant, type Grant, type GrantKey } from "../../../src/policy/grant.ts";

const KEY: GrantKey = { cacheKey: "c", toolVersion: "1", program: "p", granted: "g" };
const grant = (key: GrantKey, grantId = "grant-1"): Grant => ({
  kind: "call",
  grantId,
  sessionId: "session-1",
  tool: "deploy",
  key,
  covers: "every use of deploy",
  by: "ann",
  grantedAt: 0,
});

test("a grant answers the call that is equal in every part, and no other (S1-29, C3)", () => {
  const held = [grant({ ...KEY, cacheKey: "other" }, "grant-0"), grant(KEY)];
  expect(findGrant(held, { ...KEY })?.grantId).toBe("grant-1");
  for (const part of ["cacheKey", "toolVersion", "program", "granted"] as const)
    expect(findGrant(held, { ...KEY, [part]: "changed" })).toBeNull();
  expect(findGrant(held, { ...KEY, program: null })).toBeNull();
  expect(findGrant([], KEY)).toBeNull();
});

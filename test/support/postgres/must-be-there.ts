import { describe, expect, it } from "vitest";
import { BIN } from "./server.ts";

/** Elsewhere than on Linux nobody installs it for the tests. */
const MUST_WORK = process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1" && process.platform === "linux";

/** Tests that need a PostgreSQL of the system's: without one they are left out, and that is said, or a failure where all must be there. */
export function describeWithPostgres(what: string, tests: () => void): void {
  if (BIN === null) console.warn(`${what}: not tried here, there is no PostgreSQL (Debian: postgresql)`);
  it.runIf(MUST_WORK)("PostgreSQL is there where it must", () => {
    expect(BIN).not.toBeNull();
  });
  describe.skipIf(BIN === null)(what, () => {
    tests();
  });
}

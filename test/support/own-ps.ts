import { existsSync, realpathSync } from "node:fs";
import { expect, it } from "vitest";

/** Whether ps(1) is a program of its own: busybox's knows none of the columns that are asked for. */
export const HAS_PS = existsSync("/bin/ps") && realpathSync("/bin/ps").endsWith("/ps");

/** Without it tests are left out, but not where everything must work. */
export function psMustBeThere(): void {
  it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("ps is there where it must", () => {
    expect(HAS_PS).toBe(true);
  });
}

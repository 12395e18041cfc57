import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { LiveCalls } from "../../src/host/launch/live-calls.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { storm } from "../support/battery/storm.ts";

test("isolated calls of many processes that are killed at random never share a folder that one of them writes", async () => {
  const state = mkdtempSync(join(tmpdir(), "cofferdam-live-"));
  try {
    const { kills, said } = await storm("live-driver.ts", [state, join(state, "marks")], 6, 12_000);
    expect(said).toEqual([]);
    expect(kills).toBeGreaterThan(10);
    // A sandbox that was being built outside a shelter is left alone for a second.
    await pause(1_100);
    await new LiveCalls(absolutePath(state), true).sweep();
    expect(readdirSync(join(state, "live"))).toEqual([]);
    expect(readdirSync(state).filter((name) => name.startsWith("live-lock."))).toEqual([]);
  } finally {
    rmSync(state, { recursive: true });
  }
});

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PATIENCE } from "../long.ts";

/** Where a sandbox that does not work is a failure, not a skip: in CI and in the longer tiers. */
const MUST_WORK = process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1";

const BWRAP = "/usr/bin/bwrap";
/** A test that never ends is stopped after this time. */
const TIMEOUT_MS = 300_000 * PATIENCE;

const THIN = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--unshare-user"];

/** Why no sandbox can be tried on this machine, or null. */
export const unusable = whyUnusable();

/** Registers the test that makes a missing sandbox a failure where it must work; elsewhere says why nothing is tried. */
export function sandboxMustWork(what: string): void {
  if (unusable !== null) console.warn(`${what}: not tried on this machine: ${unusable}`);
  it.runIf(MUST_WORK)("a sandbox works where it must", () => {
    expect(unusable).toBeNull();
  });
}

/** A test that needs programs of this machine: without them it is skipped with a reason, or fails where all must be there. */
export function itNeeds(
  programs: readonly string[],
  title: string,
  body: () => Promise<void> | void,
  timeoutMs = TIMEOUT_MS,
): void {
  const missing = programs.filter((program) => !existsSync(program));
  if (missing.length > 0) console.warn(`${title}: not tried, ${missing.join(", ")} is missing`);
  it.skipIf(missing.length > 0 && !MUST_WORK)(title, { timeout: timeoutMs }, async () => {
    expect(missing).toEqual([]);
    await body();
  });
}

/** A test that this machine can't have for a reason that is no fault: it is skipped and says why. */
export function itUnless(
  reason: string | null,
  title: string,
  body: () => Promise<void> | void,
  timeoutMs = TIMEOUT_MS,
): void {
  if (reason !== null) console.warn(`${title}: not tried, ${reason}`);
  it.skipIf(reason !== null)(title, { timeout: timeoutMs }, body);
}

/** Why tests that need root can't run, or null. */
export const notRoot = process.getuid?.() === 0 ? null : "it needs root";

/** Why a supervisor of root's has no device nodes to give where tests keep their files, or null: then the host's can be changed. */
export const noDevices = whyNoDevices();

function whyNoDevices(): string | null {
  if (notRoot !== null) return null;
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-node-"));
  const made = spawnSync("/bin/sh", ["-c", 'mknod "$0/null" c 1 3 && : > "$0/null"', folder]);
  rmSync(folder, { recursive: true });
  return made.status === 0 ? null : `no device node can be made and opened in ${tmpdir()}`;
}

function whyUnusable(): string | null {
  if (process.platform !== "linux") return `there is no bubblewrap on ${process.platform}`;
  if (!existsSync(BWRAP)) return `${BWRAP} is missing`;
  const tried = spawnSync(BWRAP, [...THIN, "--", "/bin/true"], { encoding: "utf8", timeout: 20_000 });
  return tried.status === 0 ? null : tried.stderr.trim() || "bwrap did not start";
}

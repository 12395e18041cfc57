import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";

const BWRAP = "/usr/bin/bwrap";
const PERL = "/usr/bin/perl";
const SANDBOX = [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-all",
  "--unshare-user",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
];

/** Why no random case can be tried in a real sandbox here, in words; undefined where it can. */
export const UNUSABLE = whyUnusable();

/** Says why the tests of this file are skipped, and makes that a failure where a sandbox must work. */
export function requireSandbox(about: string): void {
  if (UNUSABLE !== undefined) console.warn(`${about}: not tried here, because ${UNUSABLE}`);
  it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a sandbox works where it must", () => {
    expect(UNUSABLE).toBeUndefined();
  });
}

/** Where random cases begin: printed, so that a failure can be had again with `COFFERDAM_SEED`. */
export const SEED = Number(process.env["COFFERDAM_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

function whyUnusable(): string | undefined {
  if (process.platform !== "linux") return `bubblewrap is for Linux, not ${process.platform}`;
  for (const needed of [BWRAP, PERL]) if (!existsSync(needed)) return `${needed} is missing`;
  const tried = spawnSync(BWRAP, [...SANDBOX, "--", "/bin/true"], { encoding: "utf8", timeout: 20_000 });
  if (tried.status === 0) return undefined;
  return tried.error?.message ?? (tried.stderr.trim() || "bwrap did not start");
}

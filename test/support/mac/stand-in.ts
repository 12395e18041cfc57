import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";

/** What the stand-in does instead of its work: see `sandbox-exec.pl`. */
export type Mode =
  | "sandbox"
  | "none"
  | "canary readable"
  | "canary writable"
  | "listed"
  | "made"
  | "no scratch"
  | "signals"
  | "no signals"
  | "descriptor"
  | "network"
  | "hangs"
  | "floods"
  | `exit ${number}`
  | `exit ${number} ${string}`
  | `signal ${number}`
  | `says ${string}`;

/** What reads a profile for it, bundled: it is started for each text. */
const COMPILER = beside("../../../dist/battery/compile-profile.js");

/** A `sandbox-exec` for Linux, in a folder of its own: helpers are looked for there before the system's. */
export class StandIn implements Disposable {
  readonly folder: AbsolutePath;
  readonly file: AbsolutePath;

  constructor() {
    this.folder = knownPath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-mac-"))));
    this.file = knownPath(join(this.folder, "sandbox-exec"));
    chmodSync(this.folder, 0o755);
    copyFileSync(beside("sandbox-exec.pl"), this.file);
    chmodSync(this.file, 0o755);
    mkdirSync(join(this.folder, "compiled"));
    chmodSync(join(this.folder, "compiled"), 0o755);
    writeFileSync(join(this.folder, "compiler"), `${process.execPath}\n${COMPILER}`);
  }

  /** From now on it does this. */
  set mode(mode: Mode) {
    writeFileSync(join(this.folder, "mode"), mode);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Why it can't build a sandbox on this machine, or null. */
export const noStandIn: string | null = whyNot();

/** Says why the tests of a file are skipped, and makes that a failure where a sandbox must work. */
export function standInMustWork(about: string): void {
  if (noStandIn !== null) console.warn(`${about}: not tried on this machine: ${noStandIn}`);
  it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("the stand-in works where it must", () => {
    expect(noStandIn).toBeNull();
  });
}

function whyNot(): string | null {
  if (process.platform !== "linux") return `it is for Linux, not ${process.platform}`;
  if (!existsSync("/usr/bin/perl")) return "/usr/bin/perl is missing";
  const words = ["-e", "printf '%d', syscall(444, 0, 0, 1)"];
  const version = Number(spawnSync("/usr/bin/perl", words, { encoding: "utf8" }).stdout);
  return version >= 6 ? null : `Landlock ${version} of kernel ${release()} has no scope for signals`;
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

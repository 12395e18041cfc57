import { closeSync, openSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import type { Devices } from "../profile/devices.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import { attest } from "./attest.ts";
import type { Attestation } from "./attestation.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { statsOf } from "./nodes.ts";
import { ownerOfRoots } from "./owner.ts";
import { platformOf } from "./platform.ts";
import { toldIfFull } from "./state-files.ts";
import { makeStateFolder } from "./state-folder.ts";

/** What this machine can do for one supervisor, found out once. */
export interface Machine {
  readonly facts: StandingFacts;
  readonly attestation: Attestation;
  /** Whom tools run as when that is not the supervisor's own user. */
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** Null where there are none to be made. */
  readonly cgroups: Cgroups | null;
}

/**
 * Finds the launcher, makes the state folder and what belongs in it ready, and has the battery tried (or remembered).
 * Throws `SANDBOX_UNAVAILABLE`; `CONFIG_INVALID` when the state folder is not ours alone.
 */
export async function inspectMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  devices: Devices = [],
): Promise<Machine> {
  makeStateFolder(host);
  try {
    return await inspect(host, roots, runtimes, devices);
  } catch (cause) {
    throw toldIfFull(cause, host.stateFolder);
  }
}

async function inspect(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  devices: Devices,
): Promise<Machine> {
  const platform = platformOf(host);
  await platform.prepare(host, roots, devices);
  const cgroups = platform.cgroups(host);
  const seen = await platform.lookAt(host, roots, runtimes, "remember");
  const facts = cgroups === null ? seen : { ...seen, tree: cgroups.tree };
  if (facts.emptyFile !== null) makeEmptyFile(facts.emptyFile);
  const system = runtimes.find((runtime) => runtime.name === "system");
  if (system === undefined)
    throw new CofferdamError("CONFIG_INVALID", "no runtime lets programs start", {
      hint: "add `system` to `sandbox.runtimes`",
    });
  const attestation = await attest(host, facts, system);
  return {
    facts: { ...facts, coversLinks: attestation.coversLinks },
    attestation,
    runAs: ownerOfRoots(host, roots),
    cgroups,
  };
}

/**
 * What the machine has for one supervisor. Writes nothing, unless what the launcher says of itself is to be remembered.
 * Throws `SANDBOX_UNAVAILABLE`.
 */
export function lookAtMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
): Promise<StandingFacts> {
  return platformOf(host).lookAt(host, roots, runtimes, "read");
}

/** The file that hides files: empty, mode 000, made once, by whichever of several that start at once is first. */
function makeEmptyFile(path: AbsolutePath): void {
  try {
    closeSync(openSync(path, "wx", 0o000));
  } catch (cause) {
    if (statsOf(path)?.isFile() !== true) throw cause;
  }
}

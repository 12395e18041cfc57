import { closeSync, openSync } from "node:fs";
import { CofferdamError } from "../../errors.ts";
import type { Devices } from "../../profile/devices.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Root, Runtime } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import { statsOf } from "../look/nodes.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { MachineFacts } from "./facts.ts";
import { ownerOfRoots } from "./owner.ts";
import { platformOf } from "./platform.ts";
import { selfCheck } from "./self-check.ts";
import type { SelfCheckResult } from "./self-check-result.ts";
import { explainFull } from "./state-files.ts";
import { makeStateFolder } from "./state-folder.ts";

/** The abilities of this machine for one supervisor, determined once. */
export interface Machine {
  readonly facts: MachineFacts;
  readonly selfCheckResult: SelfCheckResult;
  /** The user that tools run as, if that is not the supervisor's own. */
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly cgroups: Cgroups | null;
}

/**
 * Finds the launcher, prepares the state folder and its content, and has the self-check run (or its result kept).
 * Throws `SANDBOX_UNAVAILABLE`; `CONFIG_INVALID` if the state folder is not ours alone.
 */
export async function inspectMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  devices: Devices = [],
): Promise<Machine> {
  makeStateFolder(host);
  try {
    return await inspect(host, roots, runtimes, devices, () => platformOf(host).cgroups(host));
  } catch (cause) {
    throw explainFull(cause, host.stateFolder);
  }
}

/** The same for other roots, runtimes or devices: the cgroups stay. Throws the same. */
export async function inspectAgain(
  host: Host,
  { cgroups }: Pick<Machine, "cgroups">,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  devices: Devices = [],
): Promise<Machine> {
  try {
    return await inspect(host, roots, runtimes, devices, () => cgroups);
  } catch (cause) {
    throw explainFull(cause, host.stateFolder);
  }
}

async function inspect(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  devices: Devices,
  cgroupsOf: () => Cgroups | null,
): Promise<Machine> {
  const platform = platformOf(host);
  await platform.prepare(host, roots, devices);
  const cgroups = cgroupsOf();
  const seen = await platform.lookAt(host, roots, runtimes, "remember");
  const facts = cgroups === null ? seen : { ...seen, tree: cgroups.tree };
  if (facts.emptyFile !== null) makeEmptyFile(facts.emptyFile);
  const system = runtimes.find((runtime) => runtime.name === "system");
  if (system === undefined)
    throw new CofferdamError("CONFIG_INVALID", "no runtime that programs need to start is listed", {
      hint: "add `system` to `sandbox.runtimes`",
    });
  const selfCheckResult = await selfCheck(host, facts, system);
  return {
    facts: { ...facts, coversLinks: selfCheckResult.coversLinks },
    selfCheckResult,
    runAs: ownerOfRoots(host, roots),
    cgroups,
  };
}

/** Looks at the machine; writes only the launcher's answers, if to be remembered. Throws `SANDBOX_UNAVAILABLE`. */
export function lookAtMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
): Promise<MachineFacts> {
  return platformOf(host).lookAt(host, roots, runtimes, "read");
}

/** The file that hides files: empty, mode 000, made once, by the first of several that start at the same time. */
function makeEmptyFile(path: AbsolutePath): void {
  try {
    closeSync(openSync(path, "wx", 0o000));
  } catch (cause) {
    if (statsOf(path)?.isFile() !== true) throw cause;
  }
}

import { closeSync, openSync } from "node:fs";
import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import { type Attestation, attest } from "./attest.ts";
import { Cgroups } from "./cgroup/cgroups.ts";
import { MACHINE } from "./cgroup/files.ts";
import { findSeats, treeOf } from "./cgroup/seats.ts";
import { lookAtCoreDumps } from "./core-dumps.ts";
import { lookAtDevices, makeDevices } from "./devices.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { findLauncher } from "./launcher.ts";
import { statsOf } from "./nodes.ts";
import { toldIfFull } from "./state-files.ts";
import { makeStateFolder } from "./state-folder.ts";

/** What this machine can do for one supervisor, found out once. */
export interface Machine {
  readonly facts: StandingFacts;
  readonly attestation: Attestation;
  /** Whom tools run as when that is not the supervisor's own user. */
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly cgroups: Cgroups;
}

/**
 * Finds the launcher, makes the state folder and what belongs in it ready, and has the battery tried (or remembered).
 * Throws `SANDBOX_UNAVAILABLE`; `CONFIG_INVALID` when the state folder is not ours alone.
 */
export async function inspectMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
): Promise<Machine> {
  makeStateFolder(host);
  try {
    return await inspect(host, roots, runtimes);
  } catch (cause) {
    throw toldIfFull(cause, host.stateFolder);
  }
}

async function inspect(host: Host, roots: readonly Root[], runtimes: readonly Runtime[]): Promise<Machine> {
  await makeDevices(host, ownerOfRoots(host, roots) ?? host.user, writableOf(roots));
  const cgroups = new Cgroups(host);
  const facts = { ...(await lookAtMachine(host, roots, runtimes, "remember")), tree: cgroups.tree };
  if (facts.emptyFile !== null) makeEmptyFile(facts.emptyFile);
  const system = runtimes.find((runtime) => runtime.name === "system");
  if (system === undefined)
    throw new CofferdamError("CONFIG_INVALID", "no runtime lets programs start", {
      hint: "add `system` to `sandbox.runtimes`",
    });
  const attestation = await attest(host, facts, system);
  return { facts, attestation, runAs: ownerOfRoots(host, roots), cgroups };
}

/**
 * What the machine has for one supervisor. Writes nothing, unless what the launcher says of itself is to be remembered.
 * Throws `SANDBOX_UNAVAILABLE`.
 */
export async function lookAtMachine(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  memory: "remember" | "read" = "read",
): Promise<StandingFacts> {
  const launcher = await findLauncher(host, memory, writableOf(roots));
  const owner = ownerOfRoots(host, roots);
  const user = { ...(owner ?? host.user), isCaller: owner === null };
  const links = runtimes.flatMap((runtime) => runtime.links);
  return {
    launcher,
    user: { uid: user.uid, gid: user.gid, isCaller: user.isCaller },
    links: [...new Map(links.map((link) => [link.path, link])).values()],
    emptyFile: owner === null ? joinPath(host.stateFolder, "empty") : null,
    devices: lookAtDevices(host, user),
    tree: lookAtTree(host),
    coreDumps: lookAtCoreDumps(host, writableOf(roots)),
  };
}

/** Whether a cgroup could be made for each call; none is. */
export function lookAtTree({ user }: Pick<Host, "user">): StandingFacts["tree"] {
  return treeOf(findSeats(MACHINE, user.uid));
}

/** The paths that tools may write. */
export function writableOf(roots: readonly Root[]): readonly AbsolutePath[] {
  return roots.filter((root) => root.mode === "rw").map((root) => root.path);
}

/**
 * Root on somebody else's tree: when every writable root belongs to one other user, tools run as that user. With mixed
 * owners they run as root, bounded by the walls alone.
 */
export function ownerOfRoots(
  host: Host,
  roots: readonly Root[],
): { readonly uid: number; readonly gid: number } | null {
  if (host.user.uid !== 0) return null;
  const owners = roots.filter((root) => root.mode === "rw").map((root) => statsOf(root.path));
  const [first, ...others] = owners;
  if (first === undefined || first === null || first.uid === 0) return null;
  return others.every((owner) => owner?.uid === first.uid) ? { uid: first.uid, gid: first.gid } : null;
}

/** The file that hides files: empty, mode 000, made once, by whichever of several that start at once is first. */
function makeEmptyFile(path: AbsolutePath): void {
  try {
    closeSync(openSync(path, "wx", 0o000));
  } catch (cause) {
    if (statsOf(path)?.isFile() !== true) throw cause;
  }
}

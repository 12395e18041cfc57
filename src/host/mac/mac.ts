import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import type { TreeBound } from "../../backend/facts.ts";
import { EMPTY_HOME } from "../../backend/seatbelt/base.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import type { StandingFacts } from "../facts.ts";
import type { Host } from "../host.ts";
import { madeLinks } from "../made-links.ts";
import { ownerOfRoots, writableOf } from "../owner.ts";
import type { Platform } from "../platform-parts.ts";
import { battery } from "./battery.ts";
import { sweepCallFolders } from "./call-folder.ts";
import { toolsOf } from "./ground.ts";
import { assertEnterable, findSandboxExec } from "./launcher.ts";
import { callsFolder, lookAtMac } from "./look.ts";
import { tryParts } from "./parts.ts";
import { kernelFindings } from "./probes/kept.ts";
import { ruleSurroundings } from "./surroundings.ts";

/** macOS, with its own sandbox program: walls of rules. */
export const mac: Platform = {
  findLauncher: async (host, _, writable) => findSandboxExec(host, writable),
  tryParts,
  askKernel: kernelFindings,
  prepare: async (host, roots) => {
    const owner = ownerOfRoots(host, roots);
    makeCalls(callsFolder(host, owner), host, owner);
    await assertEnterable(findSandboxExec(host, writableOf(roots)));
  },
  cgroups: () => null,
  lookAtTree: () => NO_TREE,
  lookAt: async (host, roots, runtimes) => {
    const owner = ownerOfRoots(host, roots);
    const { uid, gid } = owner ?? host.user;
    return {
      launcher: findSandboxExec(host, writableOf(roots)),
      user: { uid, gid, isCaller: owner === null },
      links: madeLinks(roots, runtimes, { viewAround: () => null, home: EMPTY_HOME }),
      emptyFile: null,
      devices: { kind: "host" },
      coversLinks: false,
      tree: NO_TREE,
      coreDumps: { kind: "file" },
      mac: lookAtMac(host, owner, roots),
    };
  },
  attestedFor: (host, { launcher, user }) => {
    const { dev, ino, size, mtimeMs } = statSync(launcher.path);
    return [
      ...[launcher.path, dev, ino, size, mtimeMs, launcher.version, launcher.shell],
      ...[host.user.uid, user.uid],
    ].join(" ");
  },
  battery,
  surroundings: ruleSurroundings,
  sweep: async (host, _, { mac: facts }) => {
    if (facts !== null) await sweepCallFolders(facts.calls, toolsOf(host));
  },
};

const NO_CGROUP: TreeBound = {
  kind: "absent",
  reason: "macOS bounds no processes together",
  fix: "leave `memory` and `processes` out of `sandbox.limits`",
};

/** What bounds the processes of a call together. */
export const NO_TREE: StandingFacts["tree"] = { memory: NO_CGROUP, pids: NO_CGROUP };

/**
 * Whoever tools run as must be able to pass; what is made in it for each call belongs to that user alone. Throws
 * `CONFIG_INVALID` for a folder that others could put something into.
 */
function makeCalls(calls: AbsolutePath, host: Pick<Host, "user">, owner: Owner): void {
  const mode = owner === null ? 0o700 : 0o711;
  const folders = owner === null ? [calls] : [parentOf(calls), calls];
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true, mode });
    const stats = lstatSync(folder);
    if (stats.isDirectory() && stats.uid === host.user.uid && (stats.mode & 0o022) === 0) {
      // The mask of the process took from the mode, or it was made for another.
      if ((stats.mode & mode) !== mode) chmodSync(folder, mode);
      continue;
    }
    throw new CofferdamError(
      "CONFIG_INVALID",
      `the folder of calls ${visible(folder)} is not this user's alone`,
      {
        hint: `remove ${visible(folder)}: it is made anew`,
      },
    );
  }
}

type Owner = { readonly uid: number } | null;

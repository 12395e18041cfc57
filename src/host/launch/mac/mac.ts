import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { startTableId } from "../../../attacks/at-start.ts";
import type { TreeBound } from "../../../backend/facts.ts";
import { EMPTY_HOME } from "../../../backend/seatbelt/base.ts";
import { renderSeatbelt } from "../../../backend/seatbelt/render.ts";
import { CofferdamError, visible } from "../../../errors.ts";
import { type AbsolutePath, parentOf } from "../../../profile/path.ts";
import type { Host } from "../../look/host.ts";
import { madeLinks } from "../../look/made-links.ts";
import type { MachineFacts } from "../facts.ts";
import { ownerOfRoots, writableOf } from "../owner.ts";
import type { Platform } from "../platform-parts.ts";
import { sweepCallFolders } from "./call-folder.ts";
import { toolsOf } from "./ground.ts";
import { assertEnterable, findSandboxExec } from "./launcher.ts";
import { callsFolder, lookAtMac } from "./look.ts";
import { tryParts } from "./parts.ts";
import { kernelFindings } from "./probes/kept.ts";
import { inAttackPlace } from "./self-check.ts";
import { ruleSurroundings } from "./surroundings.ts";

/** macOS, with its own sandbox program: a sandbox made of rules. */
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
  render: renderSeatbelt,
  checkedFor: (host, { launcher, user }) => {
    const { dev, ino, size, mtimeMs } = statSync(launcher.path);
    return [
      ...[launcher.path, dev, ino, size, mtimeMs, launcher.version, launcher.shell],
      ...[host.user.uid, user.uid, startTableId("darwin")],
    ].join(" ");
  },
  inAttackPlace,
  surroundings: ruleSurroundings,
  sweep: async (host, _, { mac: facts }) => {
    if (facts !== null) await sweepCallFolders(facts.calls, toolsOf(host));
  },
};

const NO_CGROUP: TreeBound = {
  kind: "absent",
  reason: "macOS has no limits for all processes of a call together",
  fix: "remove `memory` and `processes` from `sandbox.limits`",
};

/** Limits on all processes of a call together. */
export const NO_TREE: MachineFacts["tree"] = { memory: NO_CGROUP, pids: NO_CGROUP };

/** The tools' user may traverse it and owns calls' folders. Throws `CONFIG_INVALID` if others could write to it. */
function makeCalls(calls: AbsolutePath, host: Pick<Host, "user">, owner: Owner): void {
  const mode = owner === null ? 0o700 : 0o711;
  const folders = owner === null ? [calls] : [parentOf(calls), calls];
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true, mode });
    const stats = lstatSync(folder);
    if (stats.isDirectory() && stats.uid === host.user.uid && (stats.mode & 0o022) === 0) {
      // The umask removed bits of the mode, or it was made for another user.
      if ((stats.mode & mode) !== mode) chmodSync(folder, mode);
      continue;
    }
    throw new CofferdamError(
      "CONFIG_INVALID",
      `the folder of calls ${visible(folder)} is not private to this user`,
      {
        hint: `remove ${visible(folder)}: it is created again`,
      },
    );
  }
}

type Owner = { readonly uid: number } | null;

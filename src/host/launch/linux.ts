import { statSync } from "node:fs";
import { release } from "node:os";
import { startTableId } from "../../attacks/at-start.ts";
import { HOME } from "../../backend/bubblewrap/identity.ts";
import { renderBubblewrap } from "../../backend/bubblewrap/render.ts";
import { viewAround } from "../../backend/bubblewrap/view-around.ts";
import { joinPath } from "../../profile/path.ts";
import type { Root, Runtime } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import { madeLinks } from "../look/made-links.ts";
import { Cgroups } from "./cgroup/cgroups.ts";
import { MACHINE } from "./cgroup/files.ts";
import { sweepCgroups } from "./cgroup/leftovers.ts";
import { findSeats, treeOf } from "./cgroup/seats.ts";
import { lookAtCoreDumps } from "./core-dumps.ts";
import { nodesOf } from "./device-nodes.ts";
import { lookAtDevices, makeDevices, makeGrantedNodes } from "./devices.ts";
import { climbLadder } from "./doctor.ts";
import type { MachineFacts } from "./facts.ts";
import { findLauncher } from "./launcher.ts";
import { inAttackPlace } from "./linux-self-check.ts";
import { ownerOfRoots, writableOf } from "./owner.ts";
import type { Platform } from "./platform-parts.ts";
import { keptResult } from "./self-check-result.ts";
import { lookAtSurroundings } from "./surroundings.ts";

/** Linux, with bubblewrap: sandboxes of mounts and namespaces. */
export const linux: Platform = {
  findLauncher,
  tryParts: climbLadder,
  askKernel: async () => [],
  prepare: async (host, roots, devices) => {
    const user = ownerOfRoots(host, roots) ?? host.user;
    await makeDevices(host, user, writableOf(roots));
    const nodes = devices.flatMap((group) =>
      nodesOf(group).map(({ path, stats }) => ({ path, rdev: stats.rdev, uid: stats.uid })),
    );
    await makeGrantedNodes(host, user, nodes, writableOf(roots));
  },
  cgroups: (host) => new Cgroups(host),
  lookAtTree,
  lookAt,
  render: renderBubblewrap,
  checkedFor,
  inAttackPlace,
  surroundings: (_, { launcher }) => lookAtSurroundings(launcher.shell),
  sweep: (host, cgroups) => sweepCgroups(host, cgroups?.folders ?? []),
};

async function lookAt(
  host: Host,
  roots: readonly Root[],
  runtimes: readonly Runtime[],
  memory: "remember" | "read",
): Promise<MachineFacts> {
  const launcher = await findLauncher(host, memory, writableOf(roots));
  const owner = ownerOfRoots(host, roots);
  const user = { ...(owner ?? host.user), isCaller: owner === null };
  const devices = lookAtDevices(host, user);
  const kept = keptResult(host, checkedFor(host, { launcher, user, devices }));
  return {
    launcher,
    user: { uid: user.uid, gid: user.gid, isCaller: user.isCaller },
    links: madeLinks(roots, runtimes, { viewAround, home: HOME }),
    emptyFile: owner === null ? joinPath(host.stateFolder, "empty") : null,
    devices,
    // A command that runs nothing does not try it: untried, it counts as possible.
    coversLinks: launcher.perl !== null && kept?.coversLinks !== false,
    tree: lookAtTree(host),
    coreDumps: lookAtCoreDumps(host, writableOf(roots)),
    mac: null,
  };
}

function checkedFor(
  host: Host,
  { launcher, user, devices }: Pick<MachineFacts, "launcher" | "user" | "devices">,
): string {
  const { dev, ino, size, mtimeMs } = statSync(launcher.path);
  return [
    launcher.path,
    launcher.perl,
    dev,
    ino,
    size,
    mtimeMs,
    release(),
    host.user.uid,
    user.uid,
    devices.kind,
    [...launcher.options].sort().join(","),
    startTableId("linux"),
  ].join(" ");
}

function lookAtTree({ user }: Pick<Host, "user">): MachineFacts["tree"] {
  return treeOf(findSeats(MACHINE, user.uid));
}

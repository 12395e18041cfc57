import type { Facts, PathNode } from "../../../backend/facts.ts";
import type { ReadOnlyPart } from "../../../backend/read-only-parts.ts";
import type { Repository } from "../../../backend/repositories.ts";
import { type Move, movedProfile } from "../../../profile/moved.ts";
import { type AbsolutePath, isInside, joinPath, knownPath, ROOT } from "../../../profile/path.ts";
import type { Profile } from "../../../profile/profile.ts";
import type { Root, Runtime } from "../../../tool/facts.ts";
import type { Host } from "../../look/host.ts";
import { here, type SimulatedMac, there } from "../../look/mac/simulated.ts";
import { linkTargets } from "../../look/runtimes/simulated.ts";
import { type FactsMemory, lookUpFacts, type MachineFacts } from "../facts.ts";
import { NO_TREE } from "./mac.ts";

/** The simulated Mac before any look at a project: with one disk, default settings, and the command line tools. */
export function assumedFacts({ release, home }: SimulatedMac, runtimes: readonly Runtime[]): MachineFacts {
  return {
    launcher: {
      path: knownPath("/usr/bin/sandbox-exec"),
      version: release,
      options: new Set(),
      shell: knownPath("/bin/sh"),
      perl: null,
    },
    user: { uid: 501, gid: 20, isCaller: true },
    links: runtimes.flatMap((runtime) => runtime.links),
    emptyFile: null,
    devices: { kind: "host" },
    coversLinks: false,
    tree: NO_TREE,
    coreDumps: { kind: "file" },
    mac: {
      calls: joinPath(home, ".local/state/cofferdam/calls"),
      volumes: [ROOT, knownPath("/System/Volumes/Data")].map((point) => ({ point, foldsCase: true })),
      proxyPort: null,
    },
  };
}

/** Input of a look at a simulated Mac. All paths are the Mac's. */
export interface SimulatedLook {
  readonly machine: MachineFacts;
  readonly roots: readonly Root[];
  readonly runtimes: readonly Runtime[];
  readonly profiles: readonly Profile[];
}

/** Looks at the roots as the simulated Mac would; all that runtimes need exists. Throws what `lookUpFacts` throws. */
export async function lookUpSimulated(
  host: Host,
  mac: SimulatedMac,
  { machine, roots, runtimes, profiles }: SimulatedLook,
  memory: FactsMemory,
  held: ReadonlySet<AbsolutePath>,
): Promise<Facts> {
  const toHere: Move = (path) => here(mac, path);
  const toThere: Move = (path) => there(mac, path);
  const inRoots = ({ path }: { readonly path: AbsolutePath }): boolean =>
    roots.some((root) => isInside(path, root.path));
  const found = await lookUpFacts(
    host,
    { ...machine, links: [] },
    profiles.map((profile) => movedProfile({ ...profile, files: profile.files.filter(inRoots) }, toHere)),
    memory,
    held,
  );
  const seen = [...found.nodes].flatMap(([path, node]): [AbsolutePath, PathNode][] => {
    const at = toThere(path);
    const isAround = roots.some((root) => isInside(at, root.path) || isInside(root.path, at));
    return isAround ? [[at, nodeThere(node, toThere)]] : [];
  });
  return {
    ...found,
    arch: mac.arch,
    links: machine.links,
    nodes: new Map([...assumedNodes(mac, runtimes), ...seen]),
    hits: found.hits.map(toThere),
    repositories: found.repositories.map((one) => repositoryThere(one, toThere)),
    copies: found.copies.map((one) => partThere(one, toThere)),
    unsearched: found.unsearched.map((one) => ({ ...one, path: toThere(one.path) })),
    // They are used only for mounts.
    ways: new Map(),
    gitLinks: [],
    strayLinks: [],
    shown: new Map(),
    mounts: [],
  };
}

function nodeThere(node: PathNode, toThere: Move): PathNode {
  return node.kind === "link" && node.target !== null ? { ...node, target: toThere(node.target) } : node;
}

function partThere(one: ReadOnlyPart, toThere: Move): ReadOnlyPart {
  const path = toThere(one.path);
  return one.kind === "name" ? { ...one, path } : { ...one, path, caches: one.caches.map(toThere) };
}

function repositoryThere(one: Repository, toThere: Move): Repository {
  return {
    ...one,
    path: toThere(one.path),
    hooks: one.hooks.map(toThere),
    configs: one.configs.map(toThere),
    parts: one.parts.map(toThere),
    detours: one.detours.map(toThere),
  };
}

/** The paths that exist on the simulated Mac: everything that runtimes need, and the links that lead to it. */
function assumedNodes(mac: SimulatedMac, runtimes: readonly Runtime[]): readonly [AbsolutePath, PathNode][] {
  return [
    ...runtimes
      .flatMap(({ read }) => read)
      .map((path): [AbsolutePath, PathNode] => [path, { kind: "folder", id: path }]),
    ...[...linkTargets(mac)].map(([path, target]): [AbsolutePath, PathNode] => [
      path,
      { kind: "link", id: path, target },
    ]),
  ];
}

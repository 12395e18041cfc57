import { type Facts, nodeAt } from "../../backend/facts.ts";
import type { Plan } from "../../backend/plan.ts";
import type { OwnProgram } from "../../host/own-program.ts";
import type { Limits } from "../../profile/limits.ts";
import { type AbsolutePath, isInside, joinPath, ROOT } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN, type Profile } from "../../profile/profile.ts";
import type { Runtime } from "../../tool/facts.ts";
import type { Launch } from "../../tool/launch.ts";

/** Where the worker's code lies inside: in the sandbox's own root folder, which is sealed before it starts. */
const PROGRAM = joinPath(ROOT, "cofferdam-worker.mjs");

/**
 * A folder of some millions of names is held in less; what would need more ends the worker, and fails that call alone. A
 * lower limit of memory bounds the heap: as a limit of the process it would keep Node from starting.
 */
const MOST_HEAP_MIB = 1_024;
const LEAST_HEAP_MIB = 32;

/** What a worker may take on top of its heap where a cgroup bounds it: Node itself, and the largest frames it answers with. */
const BESIDE_HEAP = 512 * 1024 ** 2;

/**
 * The profile that the kernel holds a worker to: what its tools are granted, with every file of a root that has a suffix
 * list, and what Node needs to start. The worker itself holds each path against the granted profile, suffixes, masks and
 * all; what Node needs is out of reach of every tool, so a ceiling says nothing about it. Of the limits the size of files
 * is the kernel's, memory that of the heap, and of all it takes where a cgroup can be made; time is that of each request,
 * and no process is ever started.
 */
export function workerProfile(
  granted: Profile,
  { node, libraries }: Pick<OwnProgram, "node" | "libraries">,
  runtimes: readonly Runtime[],
  tree: Facts["tree"],
): Profile {
  // Node reads nothing of `/etc`, and each entry is a mount that is looked at before every call.
  const system = (runtimes.find(({ name }) => name === "system")?.read ?? []).filter(
    (path) => !path.startsWith("/etc/"),
  );
  const own = [
    ...system,
    ...[node, ...libraries].filter((path) => !system.some((one) => isInside(path, one))),
  ];
  const { fileBytes, memoryBytes } = granted.limits;
  return normalProfile({
    files: [
      ...own.map((path): FileEntry => ({ path, access: "read", suffixes: "any" })),
      ...granted.files.map((entry): FileEntry => ({ ...entry, suffixes: "any" })),
    ],
    masks: granted.masks,
    limits: {
      ...(fileBytes === undefined ? {} : { fileBytes }),
      ...(memoryBytes === undefined || tree.memory.kind === "absent"
        ? {}
        : { memoryBytes: memoryBytes + BESIDE_HEAP }),
    },
  });
}

/**
 * The same without what is not there: a mask, because the worker refuses such a path by itself; and what may be written in a
 * folder that may only be read. Nothing has to stand in its place for as long as the worker lives.
 */
export function withoutMissing(profile: Profile, facts: Facts): Profile {
  const isThere = (path: AbsolutePath): boolean => nodeAt(facts, path).kind !== "missing";
  return normalProfile({
    ...profile,
    files: profile.files.filter(({ path, access }) => access !== "write" || isThere(path)),
    masks: profile.masks.filter(({ pattern: { literal } }) => literal === null || isThere(literal)),
  });
}

/** A layer that takes away no more than to make what these would stand for. */
export function keptUnmade(placeholders: Plan["placeholders"]): Profile {
  const masks = placeholders.map(
    ({ path }): Mask => ({ pattern: literalPattern(path), atMost: "read", ignoreCase: false }),
  );
  return normalProfile({ ...OPEN, masks });
}

/** Facts with the links by which Node finds its libraries as well. */
export function withLinks(facts: Facts, links: OwnProgram["links"]): Facts {
  return links.length === 0 ? facts : { ...facts, links: [...facts.links, ...links] };
}

/** Facts in which links to nothing lead nowhere. */
export function withoutDangling(facts: Facts): Facts {
  const nodes = new Map(facts.nodes);
  for (const [path, node] of facts.nodes)
    if (node.kind === "link" && node.target !== null && nodeAt(facts, node.target).kind === "missing")
      nodes.set(path, { ...node, target: null });
  return { ...facts, nodes };
}

/** How a worker is started: nothing of the caller's environment, in the sandbox's own root folder. */
export function workerLaunch(
  { node, worker }: Pick<OwnProgram, "node" | "worker">,
  { memoryBytes = Number.POSITIVE_INFINITY }: Limits,
): Launch {
  const heapMib = Math.max(LEAST_HEAP_MIB, Math.min(MOST_HEAP_MIB, Math.floor(memoryBytes / 1024 ** 2)));
  return {
    argv: [node, `--max-old-space-size=${heapMib}`, PROGRAM],
    cwd: ROOT,
    env: { PATH: "/nonexistent", NODE_OPTIONS: "" },
    given: [{ path: PROGRAM, bytes: worker }],
  };
}

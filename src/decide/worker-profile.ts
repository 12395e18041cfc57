import { type Facts, nodeAt } from "../backend/facts.ts";
import type { Plan } from "../backend/plan.ts";
import type { OwnProgram } from "../host/launch/own-program.ts";
import type { Limits } from "../profile/limits.ts";
import { type AbsolutePath, isInside, joinPath, ROOT } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN, type Profile } from "../profile/profile.ts";
import type { Runtime } from "../tool/facts.ts";
import type { ProgramStart } from "../tool/launch.ts";

/** Path of the worker's code inside: the sandbox's own root folder, which is sealed before it starts. */
const PROGRAM = joinPath(ROOT, "cofferdam-worker.mjs");

/**
 * A folder of some millions of names fits; more ends the worker, and only that call fails. A lower memory limit bounds
 * the heap: as a limit of the process it would keep Node from starting.
 */
const MAX_HEAP_MIB = 1_024;
const LEAST_HEAP_MIB = 32;

/** Memory a worker may use beside its heap under a cgroup: Node itself, and the largest frames of its answers. */
const BESIDE_HEAP = 512 * 1024 ** 2;

/**
 * The profile that the kernel enforces on a worker: its tools' grants, every file of roots with suffix lists, and files
 * Node needs. The worker itself checks paths against the granted profile, with suffixes and masks. No tool reaches
 * Node's files, so no ceiling applies to them. The kernel limits file size; memory bounds the heap, and with a cgroup
 * the whole worker. Time applies per request. It never starts a process.
 */
export function workerProfile(
  granted: Profile,
  { node, libraries }: Pick<OwnProgram, "node" | "libraries">,
  runtimes: readonly Runtime[],
  tree: Facts["tree"],
): Profile {
  // Node reads nothing of `/etc`, and each entry is a mount that is inspected before every call.
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

/** The profile without missing paths: the worker rejects those itself, and while it lives needs no placeholder. */
export function withoutMissing(profile: Profile, facts: Facts): Profile {
  const isThere = (path: AbsolutePath): boolean => nodeAt(facts, path).kind !== "missing";
  return normalProfile({
    ...profile,
    files: profile.files.filter(({ path, access }) => access !== "write" || isThere(path)),
    masks: profile.masks.filter(({ pattern: { literal } }) => literal === null || isThere(literal)),
  });
}

/** A layer that only forbids making the paths of these placeholders. */
export function keptUnmade(placeholders: Plan["placeholders"]): Profile {
  const masks = placeholders.map(
    ({ path }): Mask => ({ pattern: literalPattern(path), atMost: "read", ignoreCase: false }),
  );
  return normalProfile({ ...OPEN, masks });
}

/** Facts with the links by which Node finds its libraries. */
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

/** Builds a worker's start: no environment of the caller, in the sandbox's own root folder. */
export function workerLaunch(
  { node, worker }: Pick<OwnProgram, "node" | "worker">,
  { memoryBytes = Number.POSITIVE_INFINITY }: Limits,
): ProgramStart {
  const heapMib = Math.max(LEAST_HEAP_MIB, Math.min(MAX_HEAP_MIB, Math.floor(memoryBytes / 1024 ** 2)));
  return {
    argv: [node, `--max-old-space-size=${heapMib}`, PROGRAM],
    cwd: ROOT,
    env: { PATH: "/nonexistent", NODE_OPTIONS: "" },
    given: [{ path: PROGRAM, bytes: worker }],
  };
}

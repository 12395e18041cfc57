import type { BubblewrapApproximationName } from "../../../src/backend/bubblewrap/approximations.ts";
import { APPROXIMATIONS } from "../../../src/backend/bubblewrap/approximations.ts";
import { type AbsolutePath, isInside, parentOf, upwards } from "../../../src/profile/path.ts";
import { indexEntries, nearestEntry } from "../../../src/profile/profile.ts";
import { twinOf } from "./bind.ts";
import type { Answer } from "./enter.ts";
import type { Scene } from "./judge.ts";
import type { Probe } from "./probe.ts";

/** <asm-generic/errno-base.h>, the same on every architecture of ours. */
const ERRNO = { ENOENT: 2, EACCES: 13, EBUSY: 16, EXDEV: 18 } as const;

/** True when the approximation is why the kernel refused the act. */
type Explains = (scene: Scene, probe: Probe, answer: Answer) => boolean;

const EXPLAINS: Readonly<Record<BubblewrapApproximationName, Explains>> = {
  // What its owner closed can't be seen by the supervisor either, so that it is not shown at all.
  dac: (scene, probe, { status }) =>
    (status === ERRNO.EACCES || status === ERRNO.ENOENT) && isRefusedByModes(scene, probe),
  "suffix-snapshot": ({ profile }, probe) => {
    const entries = indexEntries(profile.files);
    return touched(probe).some((path) => nearestEntry(entries, path).suffixes !== "any");
  },
  "link-target": liesIn("link-target"),
  "link-folder": liesIn("link-folder"),
  "missing-folder": liesIn("missing-folder"),
  "search-bound": liesIn("search-bound"),
  "mount-budget": liesIn("mount-budget"),
  alias: liesIn("alias"),
  "pinned-node": ({ plan, tree }, probe, { status }) => {
    const names = "to" in probe ? [probe.path, probe.to] : [probe.path];
    const moved = [...names, ...names.map((path) => twinOf(tree, path))];
    return status === ERRNO.EBUSY && plan.expects.mounts.some((mount) => moved.includes(mount.point));
  },
  "cross-mount": ({ plan }, probe, { status }) => {
    if (status !== ERRNO.EXDEV || !("to" in probe)) return false;
    const points = new Set(plan.expects.mounts.map((mount) => mount.point));
    const mountOf = (path: AbsolutePath): AbsolutePath | undefined =>
      [...upwards(path)].find((at) => points.has(at));
    const from = probe.op === "link" ? probe.path : parentOf(probe.path);
    return mountOf(from) !== mountOf(parentOf(probe.to));
  },
};

/** The first approximation of the closed list that explains a refusal, or null. */
export function explanationOf(
  scene: Scene,
  probe: Probe,
  answer: Answer,
): BubblewrapApproximationName | null {
  return APPROXIMATIONS.find(({ name }) => EXPLAINS[name](scene, probe, answer))?.name ?? null;
}

/** Names that the act changes, and the folders that hold them; else the path itself. */
function touched(probe: Probe): readonly AbsolutePath[] {
  const names = "to" in probe ? [probe.path, probe.to] : [probe.path];
  return [...names, ...names.map(parentOf)];
}

/** Explains what lies in the path of an approximation that the plan declares by this name. */
function liesIn(name: BubblewrapApproximationName): Explains {
  return ({ plan }, probe) => {
    const names = "to" in probe ? [probe.path, probe.to] : [probe.path];
    return plan.approximations.some(
      (one) => one.name === name && names.some((path) => isInside(path, one.path)),
    );
  };
}

/** What the modes of the tree refuse to the owner: folders on the way, the file itself, or the folder that is changed. */
function isRefusedByModes({ tree }: Scene, probe: Probe): boolean {
  const hasMode = (path: AbsolutePath, bits: number): boolean => {
    const thing = tree.byPath.get(path);
    return thing === undefined || (thing.mode & bits) === bits;
  };
  const [READ, WRITE, CHANGE, PASS] = [0o400, 0o200, 0o300, 0o100];
  const names = "to" in probe ? [probe.path, probe.to] : [probe.path];
  if (names.some((name) => ![...upwards(parentOf(name))].every((folder) => hasMode(folder, PASS))))
    return true;
  switch (probe.op) {
    case "read":
    case "list":
      return !hasMode(probe.path, READ);
    case "write":
      return !hasMode(probe.path, WRITE);
    case "create":
    case "remove":
      return !hasMode(parentOf(probe.path), CHANGE);
    case "rename":
    case "exchange":
    case "link": {
      const isMoved = (path: AbsolutePath): boolean =>
        tree.byPath.get(path)?.kind === "folder" && parentOf(probe.path) !== parentOf(probe.to);
      const hasParent = [probe.path, probe.to].every((path) => hasMode(parentOf(path), CHANGE));
      return (
        !hasParent ||
        [probe.path, probe.to].some((path) => probe.op !== "link" && isMoved(path) && !hasMode(path, WRITE))
      );
    }
    default:
      return false;
  }
}

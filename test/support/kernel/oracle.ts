import { type Access, isAtMost, lesser } from "../../../src/profile/access.ts";
import { type Kind, maskRuler, pathRuler } from "../../../src/profile/access-to.ts";
import { type AbsolutePath, isInside, parentOf } from "../../../src/profile/path.ts";
import { isOnTheWay, type Mask, type Profile } from "../../../src/profile/profile.ts";
import { neededAccess } from "./needed-access.ts";
import { operationOf, type Probe } from "./probe.ts";
import type { Tree } from "./tree.ts";

/** What the model says about acts on one tree under one profile. */
export interface Oracle {
  /** True when the profile allows the act. */
  allows(probe: Probe): boolean;
  /** The names that a listing of the folder may show when the folder itself can't be read. */
  namesOnTheWay(folder: AbsolutePath): ReadonlySet<string>;
  /** The access to what stands at a path, or to a missing name there. */
  accessOf(path: AbsolutePath, kind?: Kind): Access;
}

/**
 * The table of operations over `accessTo`. What is there at the start is asked about as it is, a missing name as born
 * inside. Two rules are added to `accessTo`, which speaks of canonical paths:
 * - a symlink is a name in its folder. A `none` glob that matches it hides what it leads to, not the name, so it is asked
 *   about as born inside; entries, literal masks and `read` masks hold for the name too;
 * - what an entry, a literal mask or a `read` mask protects can't be displaced: neither it nor a folder above it moves out
 *   of the way, so that it could be made anew.
 */
export function oracleOf(tree: Tree, profile: Profile): Oracle {
  const ruler = pathRuler(profile);
  const capOf = maskRuler(profile.masks);
  const ofLinks = pathRuler({ ...profile, masks: profile.masks.flatMap(holdingForNames) });
  const accessOf = (path: AbsolutePath, kind: Kind = "file"): Access => {
    const thing = tree.byPath.get(path);
    if (isInside(tree.place, path)) return ruler(path, { kind: "folder", bornInside: false }).access;
    if (thing === undefined) return ruler(path, { kind, bornInside: true }).access;
    if (thing.kind !== "link") return ruler(path, { kind: thing.kind, bornInside: false }).access;
    return lesser(
      ofLinks(path, { kind: "file", bornInside: false }).access,
      capOf(parentOf(path), false)?.atMost ?? "write",
    );
  };
  const meets = (probe: Probe, path: AbsolutePath, kind: Kind): boolean => {
    const needed = neededAccess(operationOf(probe));
    return isAtMost(needed.path, accessOf(path, kind)) && isAtMost(needed.parent, accessOf(parentOf(path)));
  };
  return {
    accessOf,
    allows: (probe) => {
      const kind = tree.byPath.get(probe.path)?.kind === "folder" ? "folder" : "file";
      switch (probe.op) {
        case "create":
          return meets(probe, probe.path, probe.what === "folder" ? "folder" : "file");
        case "rename":
        case "exchange":
        case "link":
          return meets(probe, probe.path, kind) && meets(probe, probe.to, kind);
        case "displace":
          return !isProtected(profile, tree, probe.path);
        default:
          return meets(probe, probe.path, kind);
      }
    },
    namesOnTheWay: (folder) => {
      const held = [...tree.byPath.keys()].filter((path) => path !== folder && parentOf(path) === folder);
      return new Set(
        held
          .filter((path) => accessOf(path) !== "none" || isOnTheWay(profile, path))
          .map((path) => path.slice(folder.length + 1)),
      );
    },
  };
}

/** What a mask on a symlink says about the symlink itself. */
function holdingForNames(mask: Mask): readonly Mask[] {
  if (mask.atMost === "read") return [mask];
  return mask.pattern.literal === null ? [] : [{ ...mask, ignoreCase: false }];
}

function isProtected(profile: Profile, tree: Tree, path: AbsolutePath): boolean {
  const ruler = pathRuler(profile);
  if (ruler(path, { kind: "file", bornInside: true }).access !== "write") return true;
  const thing = tree.byPath.get(path);
  if (thing === undefined) return false;
  const readMasks = { ...profile, masks: profile.masks.filter((mask) => mask.atMost === "read") };
  return (
    pathRuler(readMasks)(path, { kind: thing.kind === "folder" ? "folder" : "file", bornInside: false })
      .access !== "write"
  );
}

import type { AbsolutePath } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import { statsOf } from "../look/nodes.ts";

/** The paths that tools may write. */
export function writableOf(roots: readonly Root[]): readonly AbsolutePath[] {
  return roots.filter((root) => root.mode === "rw").map((root) => root.path);
}

/**
 * For root on another user's tree: if every writable root belongs to one other user, tools run as that user. With mixed
 * owners they run as root, bounded by the sandbox alone.
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

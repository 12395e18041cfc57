import type { BigIntStats } from "node:fs";
import type { Kind } from "../profile/access-to.ts";
import type { NodeKind } from "../tool/files/protocol.ts";

export function kindOf(stat: BigIntStats): NodeKind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  return stat.isSymbolicLink() ? "link" : "other";
}

/** The kind for the profile: everything but folders is a file. */
export function ruledKind(kind: NodeKind): Kind {
  return kind === "folder" ? "folder" : "file";
}

/**
 * Identifies this state of this file. Times are as fine as the kernel keeps them: before Linux 6.13 two changes within
 * one tick (1–4 ms) that keep the size look alike.
 */
export function versionOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** True when both are one inode. */
export function isSameInode(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

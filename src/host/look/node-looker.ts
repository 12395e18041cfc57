import type { PathNode } from "../../backend/facts.ts";
import { type AbsolutePath, parentOf, ROOT } from "../../profile/path.ts";
import { type Lstat, leadsTo } from "./leads.ts";
import { canRead, isCopyable, realPathOf, statsOf } from "./nodes.ts";

/** Looks at paths once each, with every folder above. */
export class NodeLooker {
  readonly found = new Map<AbsolutePath, PathNode>();
  readonly #see: Lstat;

  constructor(see: Lstat) {
    this.#see = see;
  }

  look(path: AbsolutePath): PathNode {
    const known = this.found.get(path);
    if (known !== undefined) return known;
    const above = path === "/" ? null : this.look(parentOf(path));
    const isMissing = above?.kind === "missing" || above?.kind === "file";
    const node = isMissing ? MISSING : nodeOf(path, this.#see);
    this.found.set(path, node);
    return node;
  }
}

const MISSING: PathNode = { kind: "missing" };

/** The node at the path, links not followed; one that this user can't see counts as missing. */
export function nodeOf(path: AbsolutePath, see: Lstat = statsOf): PathNode {
  const stats = see(path);
  if (stats === null) return MISSING;
  const id = `${stats.dev}:${stats.ino}`;
  if (stats.isSymbolicLink()) return { kind: "link", id, target: realPathOf(path) ?? danglingTargetOf(path) };
  if (stats.isDirectory()) return { kind: "folder", id };
  if (!stats.isFile()) return { kind: "other", id };
  // Mode bits alone say nothing of access lists (acl(5)).
  const canCopy = isCopyable(path, stats) && canRead(path);
  return canCopy ? { kind: "file", id, isCopyable: true } : { kind: "file", id };
}

/** The future target of a link to nothing; null for a link back to itself, or one that can't be seen. */
function danglingTargetOf(path: AbsolutePath): AbsolutePath | null {
  const led = leadsTo(path, ROOT, () => true);
  return led.kind === "missing" && statsOf(led.path) === null ? led.path : null;
}

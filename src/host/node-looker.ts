import type { Node } from "../backend/facts.ts";
import { type AbsolutePath, parentOf, ROOT } from "../profile/path.ts";
import { type Look, leadsTo } from "./leads.ts";
import { canRead, isCopyable, realPathOf, statsOf } from "./nodes.ts";

/** Looks at paths once each: what stands there, with every folder above. */
export class NodeLooker {
  readonly found = new Map<AbsolutePath, Node>();
  readonly #see: Look;

  constructor(see: Look) {
    this.#see = see;
  }

  /** What stands at the path; folders above it are looked at too. */
  look(path: AbsolutePath): Node {
    const known = this.found.get(path);
    if (known !== undefined) return known;
    const above = path === "/" ? null : this.look(parentOf(path));
    const isMissing = above?.kind === "missing" || above?.kind === "file";
    const node = isMissing ? MISSING : nodeOf(path, this.#see);
    this.found.set(path, node);
    return node;
  }
}

const MISSING: Node = { kind: "missing" };

/** What stands at the path, links not followed; what can't be seen by this user counts as missing. */
export function nodeOf(path: AbsolutePath, see: Look = statsOf): Node {
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

/** What a link to nothing leads to once that is made; null for one that leads back to itself, or that can't be seen. */
function danglingTargetOf(path: AbsolutePath): AbsolutePath | null {
  const led = leadsTo(path, ROOT, () => true);
  return led.kind === "missing" && statsOf(led.path) === null ? led.path : null;
}

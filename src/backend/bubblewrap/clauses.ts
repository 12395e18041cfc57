import { type Facts, nodeAt } from "../facts.ts";
import type { ExpectedMount, Input, PlanClause } from "../plan.ts";
import { expectedMounts } from "./expected-mounts.ts";
import type { Change } from "./transitions.ts";

/** The launcher options for changes, in order. */
export interface Clauses {
  readonly clauses: readonly PlanClause[];
  /** Inputs that the launcher reads for them, from `firstFd` on. */
  readonly inputs: readonly Input[];
  readonly mounts: readonly ExpectedMount[];
}

/** Returns the options that carry out the changes, with their inputs. */
export function clausesOf(changes: readonly Change[], facts: Facts, firstFd: number): Clauses {
  const copied = new Set(changes.filter((change) => isCopied(change, changes, facts)));
  const inputs: Input[] = [];
  const clauses = changes.map((change): PlanClause => {
    const { path } = change;
    const fd = firstFd + inputs.length;
    if (copied.has(change)) {
      inputs.push({ fd, file: path });
      return { path, args: ["--perms", "0644", "--file", String(fd), path] };
    }
    const args = mountArgs(change, facts, fd);
    if (args.includes("--ro-bind-data")) inputs.push({ fd, device: "/dev/null" });
    return { path, args };
  });
  const mounted = changes.filter((change) => !copied.has(change));
  return { clauses, inputs, mounts: expectedMounts(mounted, facts) };
}

/**
 * True for a file that is copied: the launcher reads the mount table for each mount. Not below another mount, where
 * others may have write access to the copy.
 */
function isCopied({ kind, access, path }: Change, changes: readonly Change[], facts: Facts): boolean {
  const node = nodeAt(facts, path);
  // Other users that tools run as may be excluded by an access list, which a copy lacks.
  if (
    !facts.user.isCaller ||
    kind !== "show" ||
    access !== "read" ||
    node.kind !== "file" ||
    node.isCopyable !== true
  )
    return false;
  return !changes.some((other) => path.startsWith(`${other.path}/`));
}

function mountArgs({ kind, access, path, passable }: Change, facts: Facts, fd: number): readonly string[] {
  switch (kind) {
    case "show":
    case "pin":
      return [access === "read" ? "--ro-bind" : "--bind", path, path];
    case "hide-folder":
      return ["--perms", passable ? "0555" : "0000", "--tmpfs", path];
    // It exists before the launcher starts, and comes with the mount below it.
    case "cover-link":
      return [];
    case "hide-file":
      return facts.emptyFile === null
        ? ["--perms", "0000", "--ro-bind-data", String(fd), path]
        : ["--ro-bind", facts.emptyFile, path];
  }
}

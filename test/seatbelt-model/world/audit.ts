import { joined } from "./names.ts";
import { type Found, resolve } from "./resolve.ts";
import type { Returned } from "./syscall.ts";
import { type Inode, nodeOf, type World } from "./world.ts";

/** What a sandbox is there to keep. */
export interface Watch {
  /** Bytes that the process must not get to see: pick strings that stand nowhere else. */
  readonly secrets?: readonly string[];
  /**
   * Paths that must stay as they are, with all that is below them; one at which nothing stands must stay free. They are the
   * host's: what counts is what the host finds there.
   */
  readonly protects?: readonly string[];
}

/** What became of a protected path: `location` when something else stands there or nothing does. */
export type Aspect =
  | "bytes"
  | "names"
  | "target"
  | "location"
  | "mode"
  | "owner"
  | "times"
  | "xattrs"
  | "appeared";

/** One way in which a protected path is not as it was. */
export interface Change {
  readonly path: string;
  readonly aspect: Aspect;
}

/** One protected path as it was at the start. */
interface Guarded {
  readonly path: string;
  /** What stood there; undefined when nothing did. */
  readonly node?: Inode;
}

/** The start of a world, as an audit compares with it. */
export type Survey = readonly Guarded[];

/** Notes what stands at the protected paths and below. */
export function survey(world: World, { protects = [] }: Watch): Survey {
  return protects.flatMap((path) => {
    const place = at(world, path);
    return place === undefined ? [{ path }] : below(world, path, place.node);
  });
}

/** Every protected path at which the host now finds something else than at the start, and how it differs. */
export function changesSince(start: Survey, world: World): readonly Change[] {
  return start.flatMap(({ path, node }) => {
    const now = at(world, path)?.node;
    if (node === undefined) return now === undefined ? [] : [{ path, aspect: "appeared" } as const];
    const moved = now?.id === node.id ? [] : [{ path, aspect: "location" } as const];
    const inode = nodeOf(world, node.id);
    const aspects = inode === node ? [] : differing(node, inode);
    return [...moved, ...aspects.map((aspect) => ({ path, aspect }))];
  });
}

/** The secrets that a call gave to the process. */
export function secretsIn(returned: Returned, { secrets = [] }: Watch): readonly string[] {
  const text = textOf(returned);
  return text === undefined ? [] : secrets.filter((secret) => text.includes(secret));
}

/** The host's look: through links on the way, at the last name itself. */
function at(world: World, path: string): Found | undefined {
  const place = resolve(world, path, { follows: false, asHost: true });
  return place.kind === "found" ? place : undefined;
}

function below(world: World, path: string, node: Inode): readonly Guarded[] {
  if (node.vnode !== "DIRECTORY") return [{ path, node }];
  const inside = [...node.entries.values()].filter((entry) => entry.isFirmlink !== true);
  return [
    { path, node },
    ...inside.flatMap((entry) => below(world, joined(path, entry.name), nodeOf(world, entry.node))),
  ];
}

function differing(old: Inode, now: Inode): readonly Aspect[] {
  const aspects: readonly (readonly [Aspect, boolean])[] = [
    ["bytes", old.vnode === "REGULAR-FILE" && now.vnode === "REGULAR-FILE" && old.bytes !== now.bytes],
    ["names", old.vnode === "DIRECTORY" && now.vnode === "DIRECTORY" && old.entries !== now.entries],
    ["target", old.vnode === "SYMLINK" && now.vnode === "SYMLINK" && old.target !== now.target],
    ["mode", old.mode !== now.mode],
    ["owner", old.owner !== now.owner],
    ["times", old.mtime !== now.mtime],
    ["xattrs", old.xattrs !== now.xattrs],
  ];
  return aspects.filter(([, differs]) => differs).map(([aspect]) => aspect);
}

function textOf(returned: Returned): string | undefined {
  switch (returned.is) {
    case "bytes":
      return returned.bytes;
    case "names":
      return returned.names.join("\n");
    case "text":
      return returned.text;
    case "nothing":
    case "stat":
    case "descriptor":
    case "connected":
      return undefined;
  }
}

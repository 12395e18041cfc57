import type { Facts, PathNode } from "../../src/backend/facts.ts";
import { type AbsolutePath, absolutePath, parentOf } from "../../src/profile/path.ts";

/** A tree as a test writes it: what ends in `/` is a folder, `→` makes a link, all else is a file, with `+` a copyable one. */
export type Tree = readonly string[];

const NO_CGROUP = { kind: "absent", reason: "nobody mounted them", fix: "mount them" } as const;

/** Facts of a machine that does not exist: a merged `/usr`, one file system, and the tree. */
export function fakedFacts(tree: Tree, more: Partial<Facts> = {}): Facts {
  const nodes = new Map<AbsolutePath, PathNode>();
  for (const line of ["/usr/", "/sys/devices/system/cpu/", "/usr/bin/sh", ...tree]) add(nodes, line);
  return {
    arch: "x64",
    launcher: {
      path: absolutePath("/usr/bin/bwrap"),
      version: "0.8.0",
      options: new Set(["disable-userns", "size"]),
      shell: absolutePath("/usr/bin/sh"),
      perl: absolutePath("/usr/bin/perl"),
    },
    user: { uid: 1000, gid: 1000, isCaller: true },
    nodes,
    ways: new Map(),
    hits: [],
    repositories: [],
    copies: [],
    gitLinks: [],
    strayLinks: [],
    unsearched: [],
    shown: new Map(),
    mounts: [{ point: absolutePath("/"), root: "/", device: "254:0", type: "ext4", readOnly: false }],
    links: [
      { path: absolutePath("/bin"), target: "usr/bin" },
      { path: absolutePath("/lib"), target: "usr/lib" },
    ],
    emptyFile: absolutePath("/home/you/.local/state/cofferdam/empty"),
    devices: { kind: "host" },
    deviceNodes: [],
    coversLinks: true,
    coreDumps: { kind: "file" },
    nameFiles: null,
    mac: null,
    tree: { memory: NO_CGROUP, pids: NO_CGROUP },
    ...more,
  };
}

function add(nodes: Map<AbsolutePath, PathNode>, line: string): void {
  const [text = "", target] = line.split(" → ");
  const path = absolutePath(text.replace(/\+$/, ""));
  const id = `1:${nodes.size + 10}`;
  if (target !== undefined) nodes.set(path, { kind: "link", id, target: absolutePath(target) });
  else if (text.endsWith("+")) nodes.set(path, { kind: "file", id, isCopyable: true });
  else nodes.set(path, { kind: text.endsWith("/") ? "folder" : "file", id });
  for (let at = parentOf(path); !nodes.has(at); at = parentOf(at))
    nodes.set(at, { kind: "folder", id: `2:${nodes.size}` });
}

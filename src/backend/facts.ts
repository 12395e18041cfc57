import type { AbsolutePath } from "../profile/path.ts";
import type { Link } from "../tool/facts.ts";
import type { DeviceNode } from "./device-node.ts";
import type { Held } from "./held.ts";
import type { Repository } from "./repositories.ts";

/**
 * What stands at a path, not following a link there. `target` is where a link leads, canonical, or null. A copyable file is
 * one of the system's settings: a copy that nobody can change shows as much of it as a mount does, and costs less.
 */
export type Node =
  | { readonly kind: "folder" | "other"; readonly id: string }
  | { readonly kind: "file"; readonly id: string; readonly isCopyable?: true }
  | { readonly kind: "link"; readonly id: string; readonly target: AbsolutePath | null }
  | { readonly kind: "missing" };

/** What decides where a link leads besides the link itself, and the folders above it and its target. */
export interface LinkWay {
  /** Further links. */
  readonly links: readonly AbsolutePath[];
  /** Folders that are gone into and left again by `..`. */
  readonly detours: readonly AbsolutePath[];
}

/** One line of the host's mount table: where, what part of which device, of which type. */
export interface HostMount {
  readonly point: AbsolutePath;
  readonly root: string;
  readonly device: string;
  readonly type: string;
  readonly readOnly: boolean;
}

/** The sandbox program of this machine: where it is and what it can do. */
export interface Launcher {
  readonly path: AbsolutePath;
  readonly version: string;
  /** Option names without dashes: `disable-userns`, `size`. */
  readonly options: ReadonlySet<string>;
  /** The shell that stands at the gate, as seen inside; root's own. */
  readonly shell: AbsolutePath;
  /** The perl that gives programs terminals of their own, as seen inside; root's own. Null where there is none. */
  readonly perl: AbsolutePath | null;
}

/**
 * Whose device nodes a sandbox has: the host's, where its user owns none of them; some that were made for sandboxes, by
 * the folder that holds them; or the host's although its user owns and so can change them, and why.
 */
export type DeviceNodes =
  | { readonly kind: "host" }
  | { readonly kind: "made"; readonly folder: AbsolutePath }
  | { readonly kind: "exposed"; readonly reason: string };

/** A folder that could not be searched whole: which bound it passed, and what is to become of it then. */
export interface Unsearched {
  readonly path: AbsolutePath;
  readonly bound:
    | { readonly kind: "entries"; readonly most: number }
    /** Processor time of the search. */
    | { readonly kind: "time"; readonly mostMs: number }
    /** So long nothing came of any read, among them that of this folder. */
    | { readonly kind: "silence"; readonly mostMs: number; readonly folder: AbsolutePath };
  readonly over: "refuse" | "read-only";
  /** The folder right below that holds most of what was seen, and how many names; left out where none does. */
  readonly fullest?: { readonly path: AbsolutePath; readonly entries: number };
}

/**
 * What becomes of a crash: the kernel writes a file, unless the limit is 0; or it starts a program of the host's, as root,
 * with the crashed memory as its input, whatever the limit is but for one of a single byte (core(5); fs/coredump.c).
 * `limiter` is a prlimit(1) that sets it; null: there is none.
 */
export type CoreDumps =
  | { readonly kind: "file" }
  | { readonly kind: "handler"; readonly limiter: AbsolutePath | null };

/** What a cgroup bounds for all processes of a call together, by the kernel's names for it (cgroups(7)). */
export const CONTROLLERS = ["memory", "pids"] as const;
/** The name of a controller. */
export type Controller = (typeof CONTROLLERS)[number];

/**
 * Whether a cgroup can be made for each call to bound one thing for its whole tree, or why not and what to do about it.
 * `door`: by which of its descriptors the gate enters by itself; null: the host has to move it. `except`: what it does not
 * hold for all the same, in words.
 */
export type TreeBound =
  | { readonly kind: "held"; readonly door: 0 | 1 | null; readonly except: string | null }
  | { readonly kind: "absent"; readonly reason: string; readonly fix: string };

/** A volume: where it begins, and whether names that differ in case are the same there. The nearest above a path decides. */
export interface Volume {
  readonly point: AbsolutePath;
  readonly foldsCase: boolean;
}

/** What a machine with macOS has besides. */
export interface MacFacts {
  /** In it a folder is made for each call, with HOME and the place for temporary files: gone after it. In no root. */
  readonly calls: AbsolutePath;
  /** At least that of `/`. */
  readonly volumes: readonly Volume[];
  /** Where on loopback the egress proxy listens; null: there is none. */
  readonly proxyPort: number | null;
}

/**
 * A link in the place of a folder in which names are protected, that leads where no look follows it: out of the granted folder that
 * it lies in, into packages that were installed, to nothing, or elsewhere for whoever else asks.
 */
export interface StrayLink {
  readonly path: AbsolutePath;
  /** Which way it goes: another one tells that it changed. */
  readonly way: string;
}

/** How this machine looks names up, by the text of its files; null for one that there is not. */
export interface NameFiles {
  /** Of `/etc/hosts`. */
  readonly hosts: string | null;
  /** Of `/etc/resolv.conf`. */
  readonly resolver: string | null;
}

/** What the machine looked like when a profile was rendered. Looked up once, passed in, looked up again before launch. */
export interface Facts {
  readonly arch: "x64" | "arm64";
  readonly launcher: Launcher;
  /** Whom the sandbox runs as, and whether the supervisor itself is somebody else. */
  readonly user: { readonly uid: number; readonly gid: number; readonly isCaller: boolean };
  /** Every path that the rendering may ask about, with every folder above it. */
  readonly nodes: ReadonlyMap<AbsolutePath, Node>;
  /** What is passed on the way to where a link leads, of the links that a rendering may ask about; none where that is nothing. */
  readonly ways: ReadonlyMap<AbsolutePath, LinkWay>;
  /** Existing paths that a glob mask covers, in the order of their names. */
  readonly hits: readonly AbsolutePath[];
  /** The repositories in folders that calls may write. */
  readonly repositories: readonly Repository[];
  /** What is held for copies of the product in folders that calls may write. */
  readonly copies: readonly Held[];
  /** Links in their folders, where git itself makes none. */
  readonly gitLinks: readonly AbsolutePath[];
  readonly strayLinks: readonly StrayLink[];
  /** Where the call starts, if perhaps not everything can stay writable: that does. */
  readonly start?: AbsolutePath;
  /** Folders in which there may be more hits and repositories. */
  readonly unsearched: readonly Unsearched[];
  /** For a folder with a suffix list: the existing files that it shows. */
  readonly shown: ReadonlyMap<AbsolutePath, readonly AbsolutePath[]>;
  readonly mounts: readonly HostMount[];
  readonly links: readonly Link[];
  /** The mode-000 empty file that hides files, or null when the sandbox's user can't reach it. */
  readonly emptyFile: AbsolutePath | null;
  readonly devices: DeviceNodes;
  /** The nodes of device groups that some profile grants; other groups were not looked at. */
  readonly deviceNodes: readonly DeviceNode[];
  /** Whether a mount can be put on a symlink itself here, which keeps the link what it is and nothing else. */
  readonly coversLinks: boolean;
  readonly tree: Readonly<Record<Controller, TreeBound>>;
  readonly coreDumps: CoreDumps;
  /** Null where no profile that was looked at has the machine's own network, and on macOS, which has other ways. */
  readonly nameFiles: NameFiles | null;
  /** Null on Linux. */
  readonly mac: MacFacts | null;
}

/** What stands at the path; a path that was not looked up is a fault of ours. */
export function nodeAt(facts: Pick<Facts, "nodes">, path: AbsolutePath): Node {
  return facts.nodes.get(path) ?? { kind: "missing" };
}

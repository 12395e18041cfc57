import type { AbsolutePath } from "../profile/path.ts";
import type { Link } from "../tool/facts.ts";
import type { DeviceNode } from "./device-node.ts";
import type { ReadOnlyPart } from "./read-only-parts.ts";
import type { Repository } from "./repositories.ts";

/**
 * The node at a path; a link is not followed. `target` is the canonical target of a link, or null. A copyable file is
 * one of the system's settings: a copy that no process can change shows as much as a mount does, and costs less.
 */
export type PathNode =
  | { readonly kind: "folder" | "other"; readonly id: string }
  | { readonly kind: "file"; readonly id: string; readonly isCopyable?: true }
  | { readonly kind: "link"; readonly id: string; readonly target: AbsolutePath | null }
  | { readonly kind: "missing" };

/** Everything that decides where a link leads, except the link itself and the folders above it and its target. */
export interface LinkWay {
  readonly links: readonly AbsolutePath[];
  /** Folders that the way enters and leaves by `..`. */
  readonly detours: readonly AbsolutePath[];
}

/** One line of the host's mount table: mount point, part of which device, file system type. */
export interface HostMount {
  readonly point: AbsolutePath;
  readonly root: string;
  readonly device: string;
  readonly type: string;
  readonly readOnly: boolean;
}

/** The sandbox program of this machine: its path and abilities. */
export interface Launcher {
  readonly path: AbsolutePath;
  readonly version: string;
  /** Option names without dashes: `disable-userns`, `size`. */
  readonly options: ReadonlySet<string>;
  readonly shell: AbsolutePath;
  /** The perl that makes terminals for programs, as seen inside; owned by root. Null if there is none. */
  readonly perl: AbsolutePath | null;
}

/**
 * The host's nodes, if its user owns none of them; nodes made for sandboxes; or the host's although its user owns them.
 */
export type DeviceNodes =
  | { readonly kind: "host" }
  | { readonly kind: "made"; readonly folder: AbsolutePath }
  | { readonly kind: "exposed"; readonly reason: string };

/** A folder that could not be searched whole: the bound it exceeded, and the consequence. */
export interface Unsearched {
  readonly path: AbsolutePath;
  readonly bound:
    | { readonly kind: "entries"; readonly max: number }
    /** Processor time of the search. */
    | { readonly kind: "time"; readonly maxMs: number }
    /** No read returned anything for this time, among them one of this folder. */
    | { readonly kind: "silence"; readonly maxMs: number; readonly folder: AbsolutePath };
  readonly over: "refuse" | "read-only";
  readonly fullest?: { readonly path: AbsolutePath; readonly entries: number };
}

/**
 * The kernel writes a file, unless the limit is 0, or starts a program of the host as root with the crashed memory,
 * whatever the limit is except a single byte (core(5); fs/coredump.c). `limiter` is a prlimit(1) that sets it, or null.
 */
export type CoreDumps =
  | { readonly kind: "file" }
  | { readonly kind: "handler"; readonly limiter: AbsolutePath | null };

/** Resources that a cgroup bounds for all processes of a call together, by the kernel's names (cgroups(7)). */
export const CONTROLLERS = ["memory", "pids"] as const;
/** The name of a controller. */
export type Controller = (typeof CONTROLLERS)[number];

/** The bound of one resource for a call's tree. `door`: the descriptor to enter by; null: the host moves it in. */
export type TreeBound =
  | { readonly kind: "held"; readonly door: 0 | 1 | null; readonly except: string | null }
  | { readonly kind: "absent"; readonly reason: string; readonly fix: string };

/** A volume: its mount point, and whether it ignores the case of names. The nearest above a path decides. */
export interface Volume {
  readonly point: AbsolutePath;
  readonly foldsCase: boolean;
}

/** Additional facts of a machine with macOS. */
export interface MacFacts {
  /** The parent of the calls' own folders, which hold HOME and temporary files and are removed. In no root. */
  readonly calls: AbsolutePath;
  /** At least that of `/`. */
  readonly volumes: readonly Volume[];
  /** The loopback port of the egress proxy; null: there is none. */
  readonly proxyPort: number | null;
}

/** A link in place of a folder with protected names, to where no look follows it: outside, packages, nothing. */
export interface StrayLink {
  readonly path: AbsolutePath;
  /** The way of the link; a different one means that it changed. */
  readonly way: string;
}

/** The machine's name lookup settings, by the text of its files; null for a missing one. */
export interface NameFiles {
  readonly hosts: string | null;
  readonly resolver: string | null;
}

/** The state of the machine when a profile was rendered. Looked up once, passed in, looked up again before launch. */
export interface Facts {
  readonly arch: "x64" | "arm64";
  readonly launcher: Launcher;
  /** The user of the sandbox, and whether the supervisor is the same one. */
  readonly user: { readonly uid: number; readonly gid: number; readonly isCaller: boolean };
  /** Every path that the rendering may query, with every folder above it. */
  readonly nodes: ReadonlyMap<AbsolutePath, PathNode>;
  /** The ways of the links that a rendering may query; a link without a special way has no entry. */
  readonly ways: ReadonlyMap<AbsolutePath, LinkWay>;
  /** Existing paths that a glob mask covers, in the order of their names. */
  readonly hits: readonly AbsolutePath[];
  /** The repositories in folders that calls may write. */
  readonly repositories: readonly Repository[];
  readonly copies: readonly ReadOnlyPart[];
  /** Links in their folders in places where git itself makes none. */
  readonly gitLinks: readonly AbsolutePath[];
  readonly strayLinks: readonly StrayLink[];
  /** The folder in which the call starts, given if perhaps not everything can stay writable: this one stays so. */
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
  /** True if a mount on a symlink itself works here; it keeps the link unchanged and does nothing else. */
  readonly coversLinks: boolean;
  readonly tree: Readonly<Record<Controller, TreeBound>>;
  readonly coreDumps: CoreDumps;
  /** Null if no profile that was looked at has the machine's own network, and on macOS, which has other ways. */
  readonly nameFiles: NameFiles | null;
  /** Null on Linux. */
  readonly mac: MacFacts | null;
}

/** Returns the node at the path; `missing` for one that was not looked up, which is a mistake in our code. */
export function nodeAt(facts: Pick<Facts, "nodes">, path: AbsolutePath): PathNode {
  return facts.nodes.get(path) ?? { kind: "missing" };
}

import type { Position } from "../errors.ts";
import type { Macos } from "../profile/macos.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Suffixes } from "../profile/suffix.ts";

/** A configured root as the machine has it: canonical path, and where the config names it. */
export interface Root {
  readonly name: string;
  readonly path: AbsolutePath;
  /** `none`: for a tool that does not need it. */
  readonly mode: "rw" | "ro" | "none";
  readonly suffixes: Suffixes;
  readonly writeApproval: boolean;
  readonly readApproval: boolean;
  readonly at: Position | null;
}

/** A symlink of the host that stands in a folder the sandbox makes anew: `/bin` → `usr/bin`. */
export interface Link {
  readonly path: AbsolutePath;
  readonly target: string;
}

/** What programs of one kind need to start, found on this machine. All of `read` is canonical. */
export interface Runtime {
  readonly name: string;
  readonly read: readonly AbsolutePath[];
  readonly links: readonly Link[];
  /** Folders for PATH, in order. */
  readonly path: readonly AbsolutePath[];
  /** Variables that programs of this runtime need, for the `git` runtime `GIT_CONFIG_*`. */
  readonly env: Readonly<Record<string, string>>;
  /** Groups that its programs ask macOS for, where this machine is one. */
  readonly macos: Macos;
}

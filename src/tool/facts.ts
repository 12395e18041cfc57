import type { Position } from "../errors.ts";
import type { Macos } from "../profile/macos.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Suffixes } from "../profile/suffix.ts";

/** A configured root as found on the machine: its canonical path, and its place in the config. */
export interface Root {
  readonly name: string;
  readonly path: AbsolutePath;
  /** The links on the way as people write it, outside of every root; absent if there are none. */
  readonly links?: readonly Link[];
  /** `none`: the tool does not need it. */
  readonly mode: "rw" | "ro" | "none";
  readonly suffixes: Suffixes;
  readonly writeApproval: boolean;
  readonly readApproval: boolean;
  readonly at: Position | null;
}

/** A symlink of the host in a folder that the sandbox creates: `/bin` → `usr/bin`. */
export interface Link {
  readonly path: AbsolutePath;
  readonly target: string;
}

/** A file that is made for each call in HOME inside the sandbox. */
export interface HomeFile {
  /** Its path from HOME: `.gitconfig`. */
  readonly name: string;
  readonly text: string;
  /** The file is given only if this variable is set. */
  readonly needs?: string;
  /** The variable that points programs to the file if the config sets another HOME. */
  readonly namedBy?: string;
}

/** The signing set-up of a person's git configuration. */
export interface Signing {
  readonly signs: readonly ("commit" | "tag")[];
  readonly format: "ssh" | "openpgp" | "x509";
  /** The variable by which programs inside find the signing agent. */
  readonly needs: "SSH_AUTH_SOCK" | "GNUPGHOME";
}

/** The parts of a person's git configuration that a call may have to be warned about. */
export interface GitOfCaller {
  readonly signing: Signing | null;
  /** The filters whose commands are carried over. */
  readonly filters: readonly string[];
}

/** Requirements for starting programs of one kind, found on this machine. All paths of `read` are canonical. */
export interface Runtime {
  readonly name: string;
  readonly read: readonly AbsolutePath[];
  readonly links: readonly Link[];
  /** Folders for PATH, in order. */
  readonly path: readonly AbsolutePath[];
  /** Variables that programs of this runtime need. */
  readonly env: Readonly<Record<string, string>>;
  /** Files for HOME inside the sandbox; for the `git` runtime `.gitconfig` and the files it names. */
  readonly files?: readonly HomeFile[];
  /** The person's git configuration; only for the `git` runtime. */
  readonly git?: GitOfCaller;
  /** Groups that its programs request from macOS; empty on other systems. */
  readonly macos: Macos;
}

import type { Position } from "../errors.ts";
import type { Macos } from "../profile/macos.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Suffixes } from "../profile/suffix.ts";

/** A configured root as the machine has it: canonical path, and where the config names it. */
export interface Root {
  readonly name: string;
  readonly path: AbsolutePath;
  /** The links on the way as people write it, outside of every root; left out where there are none. */
  readonly links?: readonly Link[];
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

/** A file that is made for each call in HOME inside. */
export interface HomeFile {
  /** Its path from HOME: `.gitconfig`. */
  readonly name: string;
  readonly text: string;
  /** The variable without which nobody is given it. */
  readonly needs?: string;
  /** The variable that names it to its programs where a config gives them another HOME. */
  readonly namedBy?: string;
}

/** How a person's git configuration signs. */
export interface Signing {
  readonly signs: readonly ("commit" | "tag")[];
  readonly format: "ssh" | "openpgp" | "x509";
  /** The variable by which programs inside find what signs. */
  readonly needs: "SSH_AUTH_SOCK" | "GNUPGHOME";
}

/** What a person's git configuration says that a call may have to be told about. */
export interface GitOfCaller {
  readonly signing: Signing | null;
  /** The filters whose commands are carried. */
  readonly filters: readonly string[];
}

/** What programs of one kind need to start, found on this machine. All of `read` is canonical. */
export interface Runtime {
  readonly name: string;
  readonly read: readonly AbsolutePath[];
  readonly links: readonly Link[];
  /** Folders for PATH, in order. */
  readonly path: readonly AbsolutePath[];
  /** Variables that programs of this runtime need. */
  readonly env: Readonly<Record<string, string>>;
  /** Files that its programs find in HOME inside, for the `git` runtime `.gitconfig` and what it names. */
  readonly files?: readonly HomeFile[];
  /** What is known of the person's git configuration; for the `git` runtime alone. */
  readonly git?: GitOfCaller;
  /** Groups that its programs ask macOS for, where this machine is one. */
  readonly macos: Macos;
}

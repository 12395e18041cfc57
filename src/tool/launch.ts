import type { AbsolutePath } from "../profile/path.ts";

/** What runs: argv with an absolute program, the folder it starts in and its whole environment. */
export interface Launch {
  readonly argv: readonly [AbsolutePath, ...string[]];
  readonly cwd: AbsolutePath;
  /** The same folder as its caller spells it, by links that are made inside; left out where that is no other path. */
  readonly typedCwd?: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
  /** Hosts that the profile does not list may be asked about while it runs. */
  readonly asksForHosts?: boolean;
  /** Files that are made for the launch alone, in the sandbox's own root folder: no path of the host. */
  readonly given?: readonly GivenFile[];
  /** Files that are made for the launch alone in HOME inside, each right in it; the program may change them. */
  readonly atHome?: readonly FileAtHome[];
}

/** A file in HOME. */
export interface FileAtHome {
  readonly name: string;
  readonly text: string;
}

/** A file that is handed over by its bytes, so that nobody can change it on the way. */
export interface GivenFile {
  readonly path: AbsolutePath;
  readonly bytes: Uint8Array;
}

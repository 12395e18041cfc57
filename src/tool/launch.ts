import type { AbsolutePath } from "../profile/path.ts";

/** A program to start: argv with an absolute program, its working folder and its whole environment. */
export interface ProgramStart {
  readonly argv: readonly [AbsolutePath, ...string[]];
  readonly cwd: AbsolutePath;
  /** The same folder as its caller spells it, by links that are made inside; absent if the path is the same. */
  readonly typedCwd?: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
  /** A person may be asked about hosts outside the profile while it runs. */
  readonly asksForHosts?: boolean;
  /** Files made for this launch only, in the sandbox's own root folder: no path of the host. */
  readonly given?: readonly GivenFile[];
  /** Files made for this launch only, directly in HOME inside; the program may change them. */
  readonly atHome?: readonly FileAtHome[];
}

/** A file in HOME. */
export interface FileAtHome {
  readonly name: string;
  readonly text: string;
}

/** A file that is passed by its bytes, so that it can't be changed on the way. */
export interface GivenFile {
  readonly path: AbsolutePath;
  readonly bytes: Uint8Array;
}

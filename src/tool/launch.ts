import type { AbsolutePath } from "../profile/path.ts";

/** What runs: argv with an absolute program, the folder it starts in and its whole environment. */
export interface Launch {
  readonly argv: readonly [AbsolutePath, ...string[]];
  readonly cwd: AbsolutePath;
  readonly env: Readonly<Record<string, string>>;
}

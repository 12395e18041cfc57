import type { AbsolutePath } from "../../profile/path.ts";

/** A file or folder that decides which code this process, or a later one that is started like it, runs. */
export interface InstalledPart {
  /** It may be missing: then nothing may be made there, because it would be found. */
  readonly path: AbsolutePath;
  /** What it is, for a sentence: `the packages that cofferdam loads`. */
  readonly what: string;
}

import { ELSEWHERE } from "../../../backend/read-only-parts.ts";
import type { AbsolutePath } from "../../../profile/path.ts";

/** A file or folder that decides which code this process, or a later one that is started like it, runs. */
export interface InstalledPart {
  /** It may be missing: then nothing may be made there, because it would be found. */
  readonly path: AbsolutePath;
  /** Its name, for a sentence: `the packages that cofferdam loads`. */
  readonly what: string;
  /** How a person gets it out of a root, for the end of a sentence; by default, to have the product elsewhere. */
  readonly wayOut?: string;
  /** True for one in `node_modules` that does not represent all of that folder. */
  readonly isAlone?: boolean;
  /** The files whose hard links tell whether a loaded file or package has other names, as in `LoadedPart`. */
  readonly entries?: readonly AbsolutePath[];
}

/** The way to get a part out of a root, for the end of a sentence. */
export function wayOutOf({ wayOut }: Pick<InstalledPart, "wayOut">): string {
  return wayOut ?? ELSEWHERE;
}

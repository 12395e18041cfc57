import { visible } from "../errors.ts";
import type { AbsolutePath } from "../profile/path.ts";

/** The place at which a call may change which file a program is: the file, or one that would be found before it. */
export interface ProgramPlace {
  readonly path: AbsolutePath;
  /** True if it is in a folder that each sandbox has for itself, such as `/tmp`. */
  readonly isPrivate: boolean;
}

/** The reason why rules cannot allow such a program, and what to do. */
export function changeableProgram(word: string, place: ProgramPlace | null | undefined): string {
  if (place === null || place === undefined)
    return `tools may write ${visible(word)} or a folder where it is searched: a rule can allow it only in a read-only root`;
  const path = visible(place.path);
  return place.isPrivate
    ? `commands can create ${path} in the sandbox's own folder, so ${visible(word)} may be another program: remove its folder from PATH, or install the programs there elsewhere`
    : `tools may write ${path}, so ${visible(word)} may be another program: a rule can allow it only in a read-only root`;
}

/** The reason why a program may be another one when it starts. */
export function unsettledProgram(word: string, place: ProgramPlace | null | undefined): string {
  const where =
    place === null || place === undefined ? "in a folder of PATH or of the program" : visible(place.path);
  return `${visible(word)} may be another program when it starts: the call may write ${where}`;
}

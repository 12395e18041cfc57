import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { identityFiles } from "./identity.ts";
import { VIEW_PATHS } from "./views.ts";

const IDENTITY = identityFiles({ uid: 0, gid: 0 }).map((file) => file.path);

/** True below the places that every sandbox has for itself, and for the files that say who and where it is. */
export function isMadeInside(path: AbsolutePath): boolean {
  return VIEW_PATHS.some((view) => isInside(path, view)) || IDENTITY.includes(path);
}

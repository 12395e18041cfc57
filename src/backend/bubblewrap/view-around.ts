import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { identityFiles } from "./identity.ts";
import { VIEW_PATHS } from "./views.ts";

const MADE = [...VIEW_PATHS, ...identityFiles({ uid: 0, gid: 0 }, null).map((file) => file.path)];

/** The place that every sandbox has for itself, or the file that says who and where it is, that the path is or lies in. */
export function viewAround(path: AbsolutePath): AbsolutePath | null {
  return MADE.find((view) => isInside(path, view)) ?? null;
}

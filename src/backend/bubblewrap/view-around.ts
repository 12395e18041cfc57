import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { identityFiles } from "./identity.ts";
import { VIEW_PATHS } from "./views.ts";

const MADE = [...VIEW_PATHS, ...identityFiles({ uid: 0, gid: 0 }, null).map((file) => file.path)];

/** The private place or identity file of every sandbox at or above the path. */
export function viewAround(path: AbsolutePath): AbsolutePath | null {
  return MADE.find((view) => isInside(path, view)) ?? null;
}

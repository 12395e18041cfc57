import type { CallPolicy } from "../decide/call-policy.ts";
import type { TouchedPlaces } from "../decide/touched-places.ts";
import { type BoundedLook, leadsTo } from "../host/look/leads.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isTooDeep } from "../profile/path.ts";
import type { ShellTouch } from "../shell/touch.ts";

/** Maximum of folders that one line may change to; with more, only bash will know where it is. */
const MAX_FOLDERS = 16;
/** Maximum of places that are looked up. */
const MAX_LOOKED_UP = 256;
/** A longer path leads nowhere (path_resolution(7), `PATH_MAX`). */
const MAX_PATH_LENGTH = 4_095;

/**
 * Looks up the places that bash itself uses. Each `cd` may happen or fail, any number of times, so that every folder
 * which a sequence of them reaches counts, and a relative path counts from each. Only what the call may see with
 * approval is looked at.
 */
export function touchedPlaces(
  touches: readonly ShellTouch[],
  cwd: AbsolutePath,
  { withApproval }: Pick<CallPolicy, "withApproval">,
  look: BoundedLook,
): TouchedPlaces {
  const isSeen = (one: AbsolutePath): boolean =>
    accessTo(withApproval.profile, one, { kind: "folder", bornInside: false }) !== "none";
  let left = MAX_LOOKED_UP;
  const targetOf = (path: string, from: AbsolutePath): AbsolutePath | null => {
    left -= 1;
    if (left < 0 || path.length > MAX_PATH_LENGTH || isTooDeep(path)) return null;
    const target = leadsTo(path, from, isSeen, look.at).path;
    return look.isOver ? null : target;
  };
  const moves = touches.flatMap((one) => (one.act === "move" ? [one.path] : []));
  const folders = foldersFrom(cwd, moves, targetOf);
  const opened = touches.flatMap((one): TouchedPlaces["opened"] => {
    if (one.act !== "open") return [];
    const { path, mode } = one;
    if (path === null || (folders === null && !path.startsWith("/"))) return [{ path: null, mode }];
    const from = path.startsWith("/") ? [cwd] : (folders ?? [cwd]);
    return from.map((folder) => ({ path: targetOf(path, folder), mode }));
  });
  return { folders, opened };
}

function foldersFrom(
  cwd: AbsolutePath,
  moves: readonly (string | null)[],
  targetOf: (path: string, from: AbsolutePath) => AbsolutePath | null,
): readonly AbsolutePath[] | null {
  const reached = new Set<AbsolutePath>([cwd]);
  for (const from of reached)
    for (const path of moves) {
      const target = path === null ? null : targetOf(path, from);
      if (target === null) return null;
      // A folder below one that is missing, again and again, is not followed: `mkdir a; cd a`.
      if (reached.size >= MAX_FOLDERS && !reached.has(target)) return null;
      reached.add(target);
    }
  return [...reached];
}

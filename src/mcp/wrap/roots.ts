import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { accessTo } from "../../profile/access-to.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** A list of the client's roots with those alone that the server can read: of others it need not know. */
export function visibleRoots(result: Members, profile: Profile): Members {
  const roots = memberOf(result, "roots");
  if (!Array.isArray(roots)) return result;
  return { ...result, roots: roots.filter((root: unknown) => canRead(memberOf(root, "uri"), profile)) };
}

/** The same for what a client sends along with a request that it makes again. */
export function withVisibleRoots(params: Members, profile: Profile): Members {
  const responses = membersOf(memberOf(params, "inputResponses"));
  if (responses === null) return params;
  const shown = Object.entries(responses).map(([key, response]): [string, unknown] => {
    const members = membersOf(response);
    return [key, members === null ? response : visibleRoots(members, profile)];
  });
  return { ...params, inputResponses: Object.fromEntries(shown) };
}

function canRead(uri: unknown, profile: Profile): boolean {
  if (typeof uri !== "string" || !uri.startsWith("file://")) return false;
  try {
    const path = realpathSync(fileURLToPath(uri));
    return isAbsolutePath(path) && accessTo(profile, path, { kind: "folder", bornInside: false }) !== "none";
  } catch {
    // What is not there, or is no path, can't be read.
    return false;
  }
}

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { accessTo } from "../../profile/access-to.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";

/** A `roots/list` result with only those roots that the server can read. It need not know the others. */
export function visibleRoots(result: JsonObject, profile: Profile): JsonObject {
  const roots = memberOf(result, "roots");
  if (!Array.isArray(roots)) return result;
  return { ...result, roots: roots.filter((root: unknown) => canRead(memberOf(root, "uri"), profile)) };
}

/** Filters the roots that a client sends with a retry. */
export function withVisibleRoots(params: JsonObject, profile: Profile): JsonObject {
  const responses = objectOf(memberOf(params, "inputResponses"));
  if (responses === null) return params;
  const shown = Object.entries(responses).map(([key, response]): [string, unknown] => {
    const members = objectOf(response);
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
    // A missing path, or an invalid one, is not readable.
    return false;
  }
}

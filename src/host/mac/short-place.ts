import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import type { AbsolutePath } from "../../profile/path.ts";
import { knownPath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";

/** A unix socket's path has no more bytes on macOS (sys/un.h, `sun_path` without its closing zero). */
export const MOST_OF_A_SOCKET = 103;

/** Where macOS has temporary files of all users, by what the kernel calls it. */
const SHARED = "/private/tmp";

/**
 * A place for temporary files below which sockets can be made, with so many bytes behind it: the user's own is below a folder
 * with a long name (confstr(3), `_CS_DARWIN_USER_TEMP_DIR`). Null where there is none.
 */
export function shortPlace(behind: number): AbsolutePath | null {
  for (const place of [tmpdir(), SHARED]) {
    const real = realOf(place);
    if (real !== null && Buffer.byteLength(real) + behind <= MOST_OF_A_SOCKET) return knownPath(real);
  }
  return null;
}

function realOf(place: string): string | null {
  try {
    return realpathSync(place);
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return null;
  }
}

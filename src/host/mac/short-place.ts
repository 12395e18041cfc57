import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { type AbsolutePath, knownPath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";

/** A unix socket's path has no more bytes on macOS (sys/un.h, `sun_path` without its closing zero). */
export const MOST_OF_A_SOCKET = 103;

/** Where macOS has temporary files of all users, by what the kernel calls it. */
export const SHARED = knownPath("/private/tmp");

/**
 * A folder below which sockets can be made, with so many bytes behind it: of these the first that is short enough, else a
 * place for temporary files, since the user's own has a long name (confstr(3), `_CS_DARWIN_USER_TEMP_DIR`). Canonical; null
 * where there is none.
 */
export function shortPlace(behind: number, ...preferred: readonly AbsolutePath[]): AbsolutePath | null {
  for (const place of [...preferred, tmpdir(), SHARED]) {
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

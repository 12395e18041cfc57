import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { type AbsolutePath, knownPath } from "../../../profile/path.ts";
import { codeOf } from "../../system-error.ts";

/** Maximum of bytes of a unix socket's path on macOS (sys/un.h, `sun_path` without its closing zero). */
export const MAX_SOCKET_LENGTH = 103;

/** The folder of macOS for temporary files of all users, by the kernel's name for it. */
export const SHARED = knownPath("/private/tmp");

/**
 * A folder for sockets whose path leaves `behind` bytes: the first short enough preferred one, else one for temporary
 * files, as the user's own has a long name (confstr(3), `_CS_DARWIN_USER_TEMP_DIR`). Canonical; null without any.
 */
export function shortPlace(behind: number, ...preferred: readonly AbsolutePath[]): AbsolutePath | null {
  for (const place of [...preferred, tmpdir(), SHARED]) {
    const real = realOf(place);
    if (real !== null && Buffer.byteLength(real) + behind <= MAX_SOCKET_LENGTH) return knownPath(real);
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

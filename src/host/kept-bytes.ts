import { closeSync, constants, openSync, writeSync } from "node:fs";

/** Memory that has names, on every Linux (shm_overview(7)). */
const MEMORY = "/dev/shm";
/** A file without a name (open(2)); Node does not name the flag. The number is that of x86-64 and arm64. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
/** The most contents that are kept: a supervisor has few kinds of sandboxes, and each has about seven. */
const MAX_KEPT = 32;
/** The longest content that is kept. */
const MAX_BYTES = 64 * 1024;

/** Descriptors of nameless files by what these hold. They stay open for as long as this process lives. */
const kept = new Map<string, number>();

/**
 * Opens a file that holds these bytes to be read from its start; null where none can be made, as on macOS. It is made once for
 * the same bytes: launchers are handed the same from call to call, and a pipe for each costs more than to open a file again.
 * It has no name, and only this process has a descriptor by which it can be written.
 */
export function openKept(bytes: Uint8Array): number | null {
  if (process.platform !== "linux" || bytes.length > MAX_BYTES) return null;
  try {
    const fd = keptFor(bytes);
    return openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY);
  } catch {
    return null;
  }
}

function keptFor(bytes: Uint8Array): number {
  const content = Buffer.from(bytes).toString("latin1");
  const known = kept.get(content);
  if (known !== undefined) return known;
  const fd = made(bytes);
  if (kept.size === MAX_KEPT) {
    for (const old of kept.values()) closeSync(old);
    kept.clear();
  }
  kept.set(content, fd);
  return fd;
}

/** Throws where no memory is left. */
function made(bytes: Uint8Array): number {
  const fd = openSync(MEMORY, O_TMPFILE | constants.O_RDWR, 0o400);
  try {
    if (writeSync(fd, bytes) === bytes.length) return fd;
    throw new Error("no memory is left");
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
}

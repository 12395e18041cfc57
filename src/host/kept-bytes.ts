import { closeSync, constants, openSync, writeSync } from "node:fs";

/** Memory with names, on every Linux (shm_overview(7)). */
const MEMORY = "/dev/shm";
/** A file without a name (open(2)); Node does not export the flag. The number is that of x86-64 and arm64. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;
/** Maximum of kept contents: a supervisor has few kinds of sandboxes, and each has about seven. */
const MAX_KEPT = 32;
const MAX_BYTES = 64 * 1024;

/** Descriptors of nameless files by content. They stay open for as long as this process lives. */
const kept = new Map<string, number>();

/**
 * Opens a file with these bytes, to be read from its start; null if none can be created, as on macOS. Created once for
 * the same bytes: a pipe for each call costs more. It has no name, and only this process can write it.
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

/** Throws if out of memory. */
function made(bytes: Uint8Array): number {
  const fd = openSync(MEMORY, O_TMPFILE | constants.O_RDWR, 0o400);
  try {
    if (writeSync(fd, bytes) === bytes.length) return fd;
    throw new Error("out of memory");
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
}

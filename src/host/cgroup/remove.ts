import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "../system-error.ts";
import type { CgroupFiles } from "./files.ts";

/** How long processes that were ended may still be in a cgroup, in milliseconds, and how long before another try. */
const EMPTYING_MS = 2_000;
const PAUSE_MS = 1;

/**
 * Removes cgroups whose processes were ended, as soon as the kernel lets go of them; true when none is left. What still
 * runs in one of version 2 is ended: nobody is to be in there any more.
 */
export async function removeCgroups(files: CgroupFiles, folders: readonly string[]): Promise<boolean> {
  const until = performance.now() + EMPTYING_MS;
  let left = folders.filter((folder) => !isRemoved(files, folder));
  for (const folder of left)
    if (files.exists(`${folder}/cgroup.kill`)) files.write(`${folder}/cgroup.kill`, "1");
  while (left.length > 0 && performance.now() < until) {
    await pause(PAUSE_MS);
    left = left.filter((folder) => !isRemoved(files, folder));
  }
  return left.length === 0;
}

function isRemoved(files: CgroupFiles, folder: string): boolean {
  try {
    files.removeFolder(folder);
    return true;
  } catch (cause) {
    return codeOf(cause) === "ENOENT";
  }
}

import { pause } from "../../pause.ts";
import { codeOf } from "../../system-error.ts";
import type { CgroupFiles } from "./files.ts";

/** Milliseconds for which ended processes may still be in a cgroup, and the pause before another try. */
const EMPTYING_MS = 2_000;
const PAUSE_MS = 1;

/** Removes cgroups of ended processes, and ends the rest in version 2; true if none is left. */
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

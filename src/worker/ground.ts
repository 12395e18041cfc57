import type { Descriptor } from "./descriptor.ts";
import { PathDescriptor } from "./path-descriptor.ts";
import { ProcDescriptor } from "./proc-descriptor.ts";

/** How a worker accesses files on this system. */
export interface FileSystemAccess {
  readonly root: Descriptor;
  /** True if names that only differ in case may be the same. */
  readonly foldsCase: boolean;
}

/** The file access of the current system. */
export function ground(): FileSystemAccess {
  return process.platform === "darwin"
    ? { root: PathDescriptor.root(), foldsCase: true }
    : { root: ProcDescriptor.root(), foldsCase: false };
}

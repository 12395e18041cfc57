import type { Descriptor } from "./descriptor.ts";
import { PathDescriptor } from "./path-descriptor.ts";
import { ProcDescriptor } from "./proc-descriptor.ts";

/** What a worker stands on: how it gets at files on this system. */
export interface Ground {
  /** The root of the file system. */
  readonly root: Descriptor;
  /** Names that only differ in case may be one. */
  readonly foldsCase: boolean;
}

/** The ground of the system that this runs on. */
export function ground(): Ground {
  return process.platform === "darwin"
    ? { root: PathDescriptor.root(), foldsCase: true }
    : { root: ProcDescriptor.root(), foldsCase: false };
}

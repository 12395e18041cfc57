import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The memory of this process that is in use once garbage is collected: objects and texts, and what buffers hold. */
export function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("memory can't be collected");
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

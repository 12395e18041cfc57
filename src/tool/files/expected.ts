import type { TouchedPath } from "./file-tool.ts";
import type { Expected } from "./protocol.ts";

/** The state of a target for which a change was approved: the change applies to that state, or not at all. */
export function expectedOf({ looked }: TouchedPath): Expected {
  return looked.kind === "missing" ? { kind: "missing" } : { kind: "node", version: looked.version };
}

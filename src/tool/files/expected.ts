import type { Target } from "./file-tool.ts";
import type { Expected } from "./protocol.ts";

/** The state of a target that a change was decided for: it is made to that state, or not at all. */
export function expectedOf({ looked }: Target): Expected {
  return looked.kind === "missing" ? { kind: "missing" } : { kind: "node", version: looked.version };
}

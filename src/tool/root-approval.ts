import type { Root } from "./facts.ts";

/** The access to a root that needs approval, as an addition to its description; empty if none does. */
export function rootApproval(root: Pick<Root, "mode" | "readApproval" | "writeApproval">): string {
  if (root.readApproval) return ", access needs approval";
  return root.mode === "rw" && root.writeApproval ? ", writing needs approval" : "";
}

import type { Asking } from "../approval/handler.ts";
import { inTime } from "../host/in-time.ts";
import type { PreviewState } from "./request-text.ts";

/** The preview if it is made within `forMs`; otherwise a failed state, and the arguments are shown instead. */
export async function lookWithin(asking: Pick<Asking, "present">, forMs: number): Promise<PreviewState> {
  try {
    const presentation = await inTime(asking.present(), forMs);
    if (presentation !== null) return { kind: "made", presentation, highlighted: new Map() };
    return { kind: "failed" };
  } catch {
    // The drawing code says so, and shows the arguments.
    return { kind: "failed" };
  }
}

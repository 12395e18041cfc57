import type { Asking } from "../approval/handler.ts";
import { pause } from "./pause.ts";
import type { Look } from "./request-text.ts";

/** What there is to look at, where it is made within so many milliseconds; else the arguments have to do, which is said. */
export async function lookWithin(asking: Pick<Asking, "present">, forMs: number): Promise<Look> {
  const late = new AbortController();
  const made = async (): Promise<Look> => ({
    kind: "made",
    presentation: await asking.present(),
    highlighted: new Map(),
  });
  const tooLate = async (): Promise<Look> => {
    await pause(forMs, late.signal);
    return { kind: "failed" };
  };
  try {
    return await Promise.race([made(), tooLate()]);
  } catch {
    // Whoever draws it says so, and shows the arguments.
    return { kind: "failed" };
  } finally {
    late.abort();
  }
}

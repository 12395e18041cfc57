import type { ToolCall } from "../call/guarded-tools.ts";
import type { Outcome } from "../decide/outcome.ts";

/** Makes all calls at once. An error that a call throws becomes its failure; none stops another. */
export function allOutcomes(
  calls: readonly ToolCall[],
  make: (call: ToolCall) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  return Promise.all(
    calls.map(async (call): Promise<Outcome> => {
      const began = performance.now();
      try {
        return await make(call);
      } catch (error) {
        return { kind: "failed", error, receipt: null, durationMs: performance.now() - began };
      }
    }),
  );
}

import type { StandingFacts } from "../facts.ts";
import type { Host } from "../host.ts";
import { lookAtSurroundings, type Surroundings } from "../surroundings.ts";
import { groundFor } from "./ground.ts";

/** What calls behind rules are started from. Throws `SANDBOX_UNAVAILABLE` where a helper is missing. */
export async function ruleSurroundings(host: Host, standing: StandingFacts): Promise<Surroundings> {
  const rules = groundFor(host, standing);
  const others = await lookAtSurroundings(standing.launcher.shell, host.platform);
  return {
    ...others,
    rules,
    [Symbol.dispose]: () => {
      others[Symbol.dispose]();
      rules?.outsider[Symbol.dispose]();
      void rules?.log?.[Symbol.asyncDispose]();
    },
  };
}

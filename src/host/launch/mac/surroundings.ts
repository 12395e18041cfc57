import type { Host } from "../../look/host.ts";
import type { StandingFacts } from "../facts.ts";
import { lookAtSurroundings, type Surroundings } from "../surroundings.ts";
import { groundFor } from "./ground.ts";

/** The starting conditions of calls under rules. Throws `SANDBOX_UNAVAILABLE` if a helper is missing. */
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

import type { Host } from "../../look/host.ts";
import type { MachineFacts } from "../facts.ts";
import { lookAtSurroundings, type Surroundings } from "../surroundings.ts";
import { groundFor } from "./ground.ts";

/** The starting conditions of calls under rules. Throws `SANDBOX_UNAVAILABLE` if a helper is missing. */
export async function ruleSurroundings(host: Host, machine: MachineFacts): Promise<Surroundings> {
  const rules = groundFor(host, machine);
  const others = await lookAtSurroundings(machine.launcher.shell, host.platform);
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

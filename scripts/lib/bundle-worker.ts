import { rolldown } from "rolldown";
import { worker } from "../../rolldown.config.ts";

/** Bundles the worker as it stands: supervisors start it by its bundle, also where the rest is run from its sources. */
export async function setup(): Promise<void> {
  const bundle = await rolldown(worker);
  await bundle.write(worker.output);
  await bundle.close();
}

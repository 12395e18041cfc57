import { rolldown } from "rolldown";
import { worker } from "../../rolldown.config.ts";

/** Bundles the worker as it stands, before any test: supervisors start it by its bundle. */
export async function setup(): Promise<void> {
  const bundle = await rolldown(worker);
  await bundle.write(worker.output);
  await bundle.close();
}

import { type RolldownOptions, rolldown } from "rolldown";
import bundles, { worker } from "../../rolldown.config.ts";

/**
 * Bundles everything that is bundled as it stands, for a run of the tests: they start the command line as users do, whose
 * start is what most of their time would go to otherwise.
 */
export async function setup(): Promise<void> {
  for (const bundle of bundles) await write(bundle);
}

/** Bundles the worker: supervisors start it by its bundle, also where the rest is run from its sources. */
export async function bundleWorker(): Promise<void> {
  await write(worker);
}

async function write({ output, ...input }: RolldownOptions): Promise<void> {
  const bundle = await rolldown(input);
  for (const one of [output ?? []].flat()) await bundle.write(one);
  await bundle.close();
}

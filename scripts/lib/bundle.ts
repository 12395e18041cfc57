import { type RolldownOptions, rolldown } from "rolldown";
import bundles, { battery, worker } from "../../rolldown.config.ts";

/**
 * Bundles everything that is bundled as it stands, and what the tests start, for a run of them: what most of their time
 * would go to otherwise is reading sources.
 */
export async function setup(): Promise<void> {
  for (const bundle of [...bundles, battery]) await write(bundle);
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

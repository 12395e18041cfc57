import { type RolldownOptions, rolldown } from "rolldown";
import bundles, { battery, inbox, worker } from "../../rolldown.config.ts";

/**
 * Bundles everything that is bundled as it stands, and what the tests start, for a run of them: what most of their time
 * would go to otherwise is reading sources.
 */
export async function setup(): Promise<void> {
  for (const bundle of [...bundles, battery]) await write(bundle);
}

/**
 * Bundles the inbox and the worker: browsers load the one, supervisors start the other, also where the rest is run from
 * its sources. The worker comes last: by its bundle it is told whether both are fresh.
 */
export async function bundleWorker(): Promise<void> {
  await write(inbox);
  await write(worker);
}

async function write({ output, ...input }: RolldownOptions): Promise<void> {
  const bundle = await rolldown(input);
  for (const one of [output ?? []].flat()) await bundle.write(one);
  await bundle.close();
}

import { type RolldownOptions, rolldown } from "rolldown";
import bundles, { battery, inbox, notificationWorker, worker } from "../../rolldown.config.ts";

/**
 * Bundles everything for a run of the tests, with the programs that they start: reading sources would take most of their
 * time.
 */
export async function setup(): Promise<void> {
  for (const bundle of [...bundles, battery]) await write(bundle);
}

/**
 * Bundles the inbox for browsers and the worker for supervisors; both are needed even if the rest runs from its sources.
 * The worker comes last: the age of its bundle stands for both.
 */
export async function bundleWorker(): Promise<void> {
  await write(inbox);
  await write(notificationWorker);
  await write(worker);
}

async function write({ output, ...input }: RolldownOptions): Promise<void> {
  const bundle = await rolldown(input);
  for (const one of [output ?? []].flat()) await bundle.write(one);
  await bundle.close();
}

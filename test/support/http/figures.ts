import { join } from "node:path";
import { execa } from "execa";
import type { AudienceFigures } from "./audience.ts";

/** What a server came to under load, in a process of its own, with those who follow it in another. */
export interface LoadFigures extends AudienceFigures {
  readonly events: number;
  /** Until all were connected. */
  readonly connectMs: number;
  /** Of one processor, while events came. */
  readonly cpuShare: number;
  readonly rssMiB: { readonly before: number; readonly max: number };
  readonly heapMiB: { readonly before: number; readonly after: number };
}

/** So many follow, so many events a second, for so many seconds. */
export async function load(subscribers: number, rate: number, seconds: number): Promise<LoadFigures> {
  const script = join(import.meta.dirname, "load.ts");
  const { stdout } = await execa(process.execPath, [script, ...[subscribers, rate, seconds].map(String)]);
  return JSON.parse(stdout);
}

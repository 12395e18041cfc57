import type { AbsolutePath } from "../../profile/path.ts";
import { endOf } from "./ending.ts";
import { launchHelper, type SpawnOptions } from "./spawn.ts";

const TRY_MS = 5_000;

/** True if a program, started like a launcher, ends with status 0 in time. Its output is discarded. */
export async function works(
  file: AbsolutePath,
  argv: readonly string[],
  runAs: SpawnOptions["runAs"],
): Promise<boolean> {
  const child = launchHelper(file, argv, { stdio: ["ignore", "ignore", "ignore"], runAs });
  const timer = setTimeout(() => child.kill("SIGKILL"), TRY_MS);
  const status = await endOf(child);
  clearTimeout(timer);
  return status === 0;
}

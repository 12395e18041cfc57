import type { AbsolutePath } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { fitHelper } from "./launcher.ts";
import type { Machine } from "./machine.ts";
import type { StartedBy } from "./spawn.ts";
import { works } from "./trial.ts";

/** Options with the right to make mount namespaces, and without (unshare(1), util-linux 2.38). */
const WAYS = [
  ["-m", "--propagation", "private"],
  ["-U", "--map-current-user", "-m", "--propagation", "private"],
] as const;

/**
 * Finds a helper that gives a launcher mounts of its own, in which none of the host's arrive later: bubblewrap's are
 * slaves of the host's (mount_namespaces(7)). Null if none works, tried with a sandbox inside as its user.
 */
export async function findPrivateMounts(
  host: Host,
  { facts: { launcher }, runAs }: Machine,
  writable: readonly AbsolutePath[],
): Promise<StartedBy | null> {
  const unshare = fitHelper(host, "unshare", writable);
  if (unshare === null) return null;
  for (const way of WAYS) {
    const words = [...way, "--"];
    const options = [
      "--unshare-user",
      "--unshare-pid",
      "--as-pid-1",
      "--die-with-parent",
      "--ro-bind",
      "/",
      "/",
    ];
    if (await works(unshare, [...words, launcher.path, ...options, launcher.shell, "-c", ":"], runAs))
      return [unshare, ...words];
  }
  return null;
}

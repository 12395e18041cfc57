import type { AbsolutePath } from "../profile/path.ts";
import type { Host } from "./host.ts";
import { fitHelper } from "./launcher.ts";
import type { Machine } from "./machine.ts";
import type { StartedBy } from "./spawn.ts";
import { works } from "./trial.ts";

/** As whoever may make mount namespaces, and as whoever needs a user namespace for that (unshare(1), util-linux 2.38). */
const WAYS = [
  ["-m", "--propagation", "private"],
  ["-U", "--map-current-user", "-m", "--propagation", "private"],
] as const;

/**
 * What gives a launcher mounts of its own, which nothing that is mounted on the host later arrives in: bubblewrap's are
 * slaves of the host's (mount_namespaces(7)). Tried with a sandbox inside, as the user that it will be for. Null where
 * there is no such helper or it does not work here.
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
    const walls = [
      "--unshare-user",
      "--unshare-pid",
      "--as-pid-1",
      "--die-with-parent",
      "--ro-bind",
      "/",
      "/",
    ];
    if (await works(unshare, [...words, launcher.path, ...walls, launcher.shell, "-c", ":"], runAs))
      return [unshare, ...words];
  }
  return null;
}

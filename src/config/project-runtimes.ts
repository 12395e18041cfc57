import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findRuntimes, type RuntimeRequest } from "../host/runtimes.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Runtime } from "../tool/facts.ts";
import type { SandboxSection } from "../tool/settings.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import { assertNoOwnPlace, writtenPath } from "./roots.ts";
import type { YamlFile } from "./yaml.ts";

/**
 * The runtimes that a config asks for, as the machine has them. Throws `ROOT_REFUSED` or `PATH_INVALID` for a folder
 * listed by hand that no tool may be given, `CONFIG_INVALID` for a runtime that is not here, each with its position.
 */
export function configuredRuntimes(
  host: Host,
  requests: SandboxSection["runtimes"],
  folder: AbsolutePath,
  yaml: YamlFile,
): readonly Runtime[] {
  const asked = requests.map((request, index): RuntimeRequest => {
    if (typeof request === "string") return request;
    const read = request.read.map((text, item) =>
      placed(yaml, ["sandbox", "runtimes", index, "read", item], () => {
        const written = writtenPath(text, folder);
        assertNoOwnPlace(host, realPath(written));
        return written;
      }),
    );
    return { name: request.name, read };
  });
  try {
    return findRuntimes(host, asked);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    // Asked one by one, the one that is at fault says so in its own place.
    for (const [index, one] of asked.entries()) {
      placed(yaml, ["sandbox", "runtimes", index], () => findRuntimes(host, [one]));
    }
    return placed(yaml, ["sandbox", "runtimes"], () => {
      throw error;
    });
  }
}

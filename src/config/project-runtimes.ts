import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import type { RuntimeRequest } from "../host/look/runtimes/finding.ts";
import { findRuntimes } from "../host/look/runtimes.ts";
import type { Runtime } from "../tool/facts.ts";
import type { SandboxSection } from "../tool/settings.ts";
import type { Config } from "./config.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import { assertNoOwnPlace, writtenPath } from "./roots.ts";
import type { YamlFile } from "./yaml.ts";

/**
 * The config's runtimes, as found outside of its roots. Throws, with the position, `ROOT_REFUSED` or `PATH_INVALID` for
 * a forbidden folder, `CONFIG_INVALID` for a missing runtime.
 */
export function configuredRuntimes(
  host: Host,
  requests: SandboxSection["runtimes"],
  { workspace, roots }: Pick<Config, "workspace" | "roots">,
  yaml: YamlFile,
): readonly Runtime[] {
  const asked = requests.map((request, index): RuntimeRequest => {
    if (typeof request === "string") return request;
    const read = request.read.map((text, item) =>
      placed(yaml, ["sandbox", "runtimes", index, "read", item], () => {
        const written = writtenPath(text, workspace);
        assertNoOwnPlace(host, realPath(written));
        return written;
      }),
    );
    return { name: request.name, read };
  });
  const places = roots.map((root) => root.path);
  const find = (some: readonly RuntimeRequest[]): readonly Runtime[] => findRuntimes(host, some, places);
  try {
    return find(asked);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    // Resolved one by one, so that a fault has its own position; a runtime found by name may need the listed ones.
    const listed = asked.filter((one) => typeof one !== "string");
    for (const one of [...listed, ...asked]) {
      const others = typeof one === "string" ? listed : [];
      placed(yaml, ["sandbox", "runtimes", asked.indexOf(one)], () => find([one, ...others]));
    }
    return placed(yaml, ["sandbox", "runtimes"], () => {
      throw error;
    });
  }
}

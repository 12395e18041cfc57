import { CofferdamError, visible } from "../errors.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { nearest } from "./nearest.ts";
import { placed } from "./operator-layer.ts";
import type { ConfigFile } from "./schema.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/**
 * What the schema of a config cannot say: names of roots that exist, and what this version can give.
 * Throws `CONFIG_INVALID` or `HOST_INVALID`, with the position.
 */
export function assertSettings({ sandbox, shell, web_fetch: webFetch }: ConfigFile, yaml: YamlFile): void {
  assertNetwork(shell.network, yaml);
  for (const [index, domain] of webFetch.domains.entries())
    placed(yaml, ["web_fetch", "domains", index], () => parseHostRule(domain));
  const roots = Object.keys(sandbox.paths);
  for (const [index, rule] of shell.rules.entries()) {
    for (const [item, name] of (rule.sandbox_paths ?? []).entries()) {
      if (roots.includes(name)) continue;
      const near = nearest(name, roots);
      const known =
        roots.length === 0 ? "list it under `sandbox.paths` first" : `the roots are ${roots.join(", ")}`;
      throw refused(
        yaml,
        ["shell", "rules", index, "sandbox_paths", item],
        `there is no root ${visible(name)}`,
        near === null ? known : `did you mean \`${near}\`?`,
      );
    }
  }
}

function assertNetwork(section: ConfigFile["shell"]["network"], yaml: YamlFile): void {
  if (typeof section !== "object") return;
  for (const list of ["hosts", "never"] as const) {
    for (const [index, rule] of section[list].entries())
      placed(yaml, ["shell", "network", list, index], () => parseHostRule(rule));
  }
}

function refused(yaml: YamlFile, path: YamlPath, message: string, hint: string): CofferdamError {
  return new CofferdamError("CONFIG_INVALID", message, { hint, at: positionAt(yaml, path, "value") });
}

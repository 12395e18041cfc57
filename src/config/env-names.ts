import { CofferdamError, visible } from "../errors.ts";
import type { Layer } from "../profile/explain.ts";
import { isObeyed, RESERVED_PREFIX } from "../tool/obeyed-names.ts";
import type { SandboxSection } from "../tool/settings.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

/** Throws `CONFIG_INVALID` for the gate's names, and for obeyed ones without an operator's entry of name or prefix. */
export function assertEnvSettable(sandbox: SandboxSection, layers: readonly Layer[], yaml: YamlFile): void {
  for (const name of Object.keys(sandbox.env.set)) {
    if (name.startsWith(RESERVED_PREFIX))
      throw new CofferdamError(
        "CONFIG_INVALID",
        `no program gets ${visible(name)}: names that begin with \`${RESERVED_PREFIX}\` are reserved`,
        { hint: "give it another name", at: positionAt(yaml, ["sandbox", "env", "set", name]) },
      );
    if (!isObeyed(name) || layers.some((layer) => layer.profile.env.some((pattern) => names(pattern, name))))
      continue;
    throw new CofferdamError(
      "CONFIG_INVALID",
      `a config may not set ${visible(name)}: programs load or run what it names`,
      {
        hint: `remove it, or list \`${name}\` under \`env\` of an operator profile`,
        at: positionAt(yaml, ["sandbox", "env", "set", name]),
      },
    );
  }
}

function names(pattern: string, name: string): boolean {
  if (pattern === "*") return false;
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

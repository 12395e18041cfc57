import { CofferdamError, visible } from "../errors.ts";
import type { Layer } from "../profile/explain.ts";
import { GATES_OWN, isObeyed } from "../tool/obeyed-names.ts";
import type { SandboxSection } from "../tool/settings.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

/**
 * Holds `sandbox.env.set` against the operators: a name that programs obey may be set only when an operator layer lists
 * that very name, or a prefix of it; and one that the gate has never. Throws `CONFIG_INVALID`.
 */
export function assertEnvSettable(sandbox: SandboxSection, layers: readonly Layer[], yaml: YamlFile): void {
  for (const name of Object.keys(sandbox.env.set)) {
    if (name.startsWith(GATES_OWN))
      throw new CofferdamError(
        "CONFIG_INVALID",
        `no program gets ${visible(name)}: \`${GATES_OWN}…\` are names of what starts it`,
        { hint: "give it another name", at: positionAt(yaml, ["sandbox", "env", "set", name]) },
      );
    if (!isObeyed(name) || layers.some((layer) => layer.profile.env.some((pattern) => names(pattern, name))))
      continue;
    throw new CofferdamError(
      "CONFIG_INVALID",
      `${visible(name)} makes programs load or run something, so a config may not set it by itself`,
      {
        hint: `take it out, or list \`${name}\` under \`env\` of an operator profile`,
        at: positionAt(yaml, ["sandbox", "env", "set", name]),
      },
    );
  }
}

function names(pattern: string, name: string): boolean {
  if (pattern === "*") return false;
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

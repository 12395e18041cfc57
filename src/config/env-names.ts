import { CofferdamError, visible } from "../errors.ts";
import type { Layer } from "../profile/explain.ts";
import type { SandboxSection } from "../tool/settings.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

/**
 * Names that a program loader, shell or interpreter obeys: their values make it load or run something. Search paths
 * such as NODE_PATH and PYTHONPATH are left out: they only say where what a program asks for is looked up.
 */
const OBEYED_PREFIXES = ["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "LUA_INIT", "CORECLR_", "COR_"];
const OBEYED_NAMES = new Set(
  [
    "BASH_ENV ENV ZDOTDIR IFS PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH GLOBIGNORE",
    "NODE_OPTIONS PYTHONSTARTUP PYTHONBREAKPOINT PERL5OPT PERL5DB RUBYOPT GCONV_PATH",
    "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS DOTNET_STARTUP_HOOKS",
  ].flatMap((line) => line.split(" ")),
);

/** True when setting the name can make a program run something by itself. */
export function isObeyed(name: string): boolean {
  return OBEYED_NAMES.has(name) || OBEYED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * Holds `sandbox.env.set` against the operators: a name that programs obey may be set only when an operator layer lists
 * that very name, or a prefix of it. Throws `CONFIG_INVALID`.
 */
export function assertEnvSettable(sandbox: SandboxSection, layers: readonly Layer[], yaml: YamlFile): void {
  for (const name of Object.keys(sandbox.env.set)) {
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

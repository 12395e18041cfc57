import { CofferdamError, visible } from "../errors.ts";
import { suggestion } from "../policy/nearest.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { placed } from "./operator-layer.ts";
import type { ConfigFile } from "./schema.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/** Checks beyond the schema: existing root names, features of this version. Throws `CONFIG_INVALID`, `HOST_INVALID`. */
export function assertSettings(
  { sandbox, shell, web_fetch: webFetch, mcp }: ConfigFile,
  yaml: YamlFile,
): void {
  assertNetwork(shell.network, yaml);
  for (const [index, domain] of webFetch.domains.entries())
    placed(yaml, ["web_fetch", "domains", index], () => parseHostRule(domain));
  const roots = Object.keys(sandbox.paths);
  for (const [index, rule] of shell.rules.entries()) {
    for (const [item, name] of (rule.sandbox_paths ?? []).entries())
      assertRoot(name, roots, yaml, ["shell", "rules", index, "sandbox_paths", item]);
  }
  for (const [server, { needs }] of Object.entries(mcp.servers)) {
    for (const name of Object.keys(needs.roots ?? {}))
      assertRoot(name, roots, yaml, ["mcp", "servers", server, "needs", "roots", name], "key");
  }
}

function assertRoot(
  name: string,
  roots: readonly string[],
  yaml: YamlFile,
  path: YamlPath,
  of: "key" | "value" = "value",
): void {
  if (roots.includes(name)) return;
  const known = roots.length === 0 ? "add it under `sandbox.paths`" : `the roots are ${roots.join(", ")}`;
  const hint = suggestion(name, roots) ?? known;
  throw new CofferdamError("CONFIG_INVALID", `there is no root ${visible(name)}`, {
    hint,
    at: positionAt(yaml, path, of),
  });
}

function assertNetwork(section: ConfigFile["shell"]["network"], yaml: YamlFile): void {
  if (typeof section !== "object") return;
  for (const list of ["hosts", "never"] as const) {
    for (const [index, rule] of section[list].entries())
      placed(yaml, ["shell", "network", list, index], () => parseHostRule(rule));
  }
}

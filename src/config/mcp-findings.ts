import { visible } from "../errors.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import { networkFrom } from "../profile/sections.ts";
import type { LoadedConfig } from "./config.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";
import type { YamlPath } from "./yaml.ts";

/** Settings of MCP servers that this config does not grant, or that have no effect. */
export function mcpFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  const isOffline = networkFrom(config.shell.network) === "none";
  return Object.entries(config.mcp.servers).flatMap(([name, { needs }]): readonly ConfigFinding[] => {
    const found = (message: string, hint: string, ...place: YamlPath): ConfigFinding =>
      warning(message, hint, placeOf(config, ["mcp", "servers", name, "needs", ...place]));
    const ports = normalPorts([...config.shell.ports, ...(needs.ports ?? [])]);
    const wanted = Object.entries(needs.roots ?? {});
    const readOnly = wanted.filter(
      ([root, access]) =>
        access === "write" && config.roots.some((one) => one.name === root && one.mode !== "rw"),
    );
    const asks = config.roots.some(
      (root) =>
        (root.readApproval || (root.mode === "rw" && root.writeApproval)) &&
        (needs.roots === undefined || Object.hasOwn(needs.roots, root.name)),
    );
    return [
      ...(needs.network === true && isOffline
        ? [
            found(
              `the MCP server ${visible(name)} needs a network, but commands have none`,
              "list its hosts under `shell.network`",
              "network",
            ),
          ]
        : []),
      ...(needs.ports ?? [])
        .filter((port) => !config.shell.ports.includes(port))
        .map((port) =>
          found(
            `the MCP server ${visible(name)} can't start: the config lists no port ${port}`,
            `list it: \`shell: { ports: [${printPorts(ports)}] }\``,
            "ports",
          ),
        ),
      ...readOnly.map(([root]) =>
        found(
          `the MCP server ${visible(name)} can't write in ${visible(root)}: the root is read-only`,
          "write `read`, or `mode: rw` for the root",
          "roots",
          root,
        ),
      ),
      ...(needs.write_on_start && !asks
        ? [
            found(
              `\`write_on_start\` has no effect for the MCP server ${visible(name)}: an approved start gives it no more access`,
              "remove `write_on_start`: none of its roots asks before writing",
              "write_on_start",
            ),
          ]
        : []),
    ];
  });
}

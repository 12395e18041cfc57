import { visible } from "../errors.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import { networkFrom } from "../profile/sections.ts";
import type { Loaded } from "./config.ts";
import { type Finding, placeOf, warning } from "./finding.ts";
import type { YamlPath } from "./yaml.ts";

/** What MCP servers ask for and do not get by this config, and what is said of them to no effect. */
export function mcpFindings({ config }: Loaded): readonly Finding[] {
  const isOffline = networkFrom(config.shell.network) === "none";
  return Object.entries(config.mcp.servers).flatMap(([name, { needs }]): readonly Finding[] => {
    const found = (message: string, hint: string, ...place: YamlPath): Finding =>
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
              `the MCP server ${visible(name)} has no network, though it needs one: commands have none`,
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
          `the MCP server ${visible(name)} can't write in ${visible(root)}: it is a root to read`,
          "write `read`, or `mode: rw` for the root",
          "roots",
          root,
        ),
      ),
      ...(needs.write_on_start && !asks
        ? [
            found(
              `the start of the MCP server ${visible(name)} is asked about, and a yes gives it no more`,
              "remove `write_on_start`: none of its roots asks first",
              "write_on_start",
            ),
          ]
        : []),
    ];
  });
}

import { existsSync } from "node:fs";
import { posix } from "node:path";
import { visible } from "../errors.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import { networkFrom } from "../profile/sections.ts";
import type { McpServer } from "../tool/mcp-settings.ts";
import { packageRunner } from "../tool/package-runner.ts";
import type { Config, LoadedConfig } from "./config.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";
import { serverStart } from "./server-start.ts";
import type { YamlPath } from "./yaml.ts";

/** Settings of MCP servers that this config does not grant, or that have no effect. */
export function mcpFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  const isOffline = networkFrom(config.shell.network) === "none";
  return Object.entries(config.mcp.servers).flatMap(([name, server]): readonly ConfigFinding[] => {
    const { needs } = server;
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
    const offline = offlineRunner(name, server, config);
    return [
      ...(offline === null
        ? []
        : [warning(offline.message, offline.hint, placeOf(config, ["mcp", "servers", name, "command"]))]),
      ...misplacedWords(name, server, config),
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

/** Told about a server whose command downloads a package, if it has no network for that. */
export function offlineRunner(
  name: string,
  { command, needs }: McpServer,
  { shell }: Pick<Config, "shell">,
): Pick<ConfigFinding, "message" | "hint"> | null {
  const runner = packageRunner(command);
  if (runner === null || (needs.network === true && networkFrom(shell.network) !== "none")) return null;
  return {
    message: `the MCP server ${visible(name)} has no network, so \`${runner}\` cannot download its package`,
    hint: "install the package outside the sandbox and start its file, or set `needs: { network: true }` and list the registry under `shell.network`",
  };
}

/** Relative paths of a command that are in the folder of the config, but not where the server starts. */
function misplacedWords(
  name: string,
  { command, needs }: McpServer,
  config: Config,
): readonly ConfigFinding[] {
  const start = serverStart(config, needs);
  if (start === null) return [];
  return command.flatMap((word, at): readonly ConfigFinding[] => {
    const isRelative = /^\.{1,2}\//.test(word);
    if (!isRelative || existsSync(posix.resolve(start, word))) return [];
    const meant = posix.resolve(config.workspace, word);
    if (!existsSync(meant)) return [];
    return [
      warning(
        `the MCP server ${visible(name)} starts in ${visible(start)}, where ${visible(word)} does not exist`,
        `write ${visible(posix.relative(start, meant) || ".")} to name ${visible(meant)}`,
        placeOf(config, ["mcp", "servers", name, "command", at]),
      ),
    ];
  });
}

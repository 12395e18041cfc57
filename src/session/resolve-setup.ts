import { existsSync } from "node:fs";
import { backendFor } from "../backend/all.ts";
import type { Backend } from "../backend/backend.ts";
import type { Ceiling, LoadedConfig } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { shippedFolder } from "../config/shipped.ts";
import { upstreamOf } from "../config/upstream.ts";
import { whyNoRoot } from "../config/writable-roots.ts";
import { type CallPolicy, callPolicyFor } from "../decide/call-policy.ts";
import { CofferdamError } from "../errors.ts";
import { type Host, thisHost } from "../host/look/host.ts";
import type { Mode } from "../policy/action.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import { settingsOn } from "./simulated.ts";

import type { SupervisorOptions } from "./supervisor-options.ts";

/** The setup before a machine is inspected: the config, the ceiling, and the common policy of all calls. */
export interface ResolvedSetup {
  readonly host: Host;
  readonly cwd: AbsolutePath;
  readonly loaded: LoadedConfig;
  readonly policy: CallPolicy;
}

/** Loads the config and all profiles; writes and starts nothing. Throws as `loadConfig`, and `CONFIG_INVALID`. */
export function resolvePolicy(options: SupervisorOptions): ResolvedSetup {
  const host = options.host ?? thisHost();
  const cwd = options.cwd ?? host.cwd;
  const loaded = loadConfig(host, { cwd, config: options.config, profiles: options.profiles });
  return { host, loaded, ...setupFor(host, options, loaded) };
}

/** The policy by a loaded config, and the folder where calls start. Throws `CONFIG_INVALID` for a forbidden mode. */
export function setupFor(
  host: Host,
  options: SupervisorOptions,
  loaded: LoadedConfig,
): Pick<ResolvedSetup, "cwd" | "policy"> {
  const { cwd = host.cwd } = options;
  const { config, ceiling } = loaded;
  const mode = options.mode ?? config.approval.mode;
  refuseForbiddenMode(mode, ceiling);
  const upstream = upstreamOf(host, loaded);
  const settings = {
    ...withTerminal(settingsOn(host, settingsOf(loaded)), options.terminal),
    ...(upstream === null ? {} : { upstream }),
    whyNoRoot: whyNoRoot(host, ceiling),
  };
  const policy = callPolicyFor({
    backend: backendOf(host),
    settings,
    config: { ...config, roots: settings.roots },
    ceiling,
    mode,
    asksCaller: options.asksCaller ?? false,
  });
  return { cwd: options.startsInRoot === true ? startIn(cwd, config.roots) : cwd, policy };
}

function startIn(cwd: AbsolutePath, roots: readonly Root[]): AbsolutePath {
  if (roots.some(({ path }) => isInside(cwd, path))) return cwd;
  return (roots.find(({ mode }) => mode === "rw") ?? roots[0])?.path ?? cwd;
}

/**
 * The settings of a config that tools are derived from. Own files are masked if they exist in a root. Shipped profiles
 * are in the package, which the layer of the installation protects.
 */
export function settingsOf({ config, files }: LoadedConfig): ToolSettings {
  const { roots, runtimes, sandbox, shell } = config;
  const shipped = shippedFolder();
  const ownFiles = files.filter(
    (file) => existsSync(file) && roots.some((root) => isInside(file, root.path)) && !isInside(file, shipped),
  );
  return { roots, runtimes, sandbox, shell, ownFiles };
}

function withTerminal(settings: ToolSettings, isWanted: boolean | undefined): ToolSettings {
  const { shell } = settings;
  const terminal = isWanted === false ? false : (shell.terminal ?? isWanted ?? false);
  return { ...settings, shell: { ...shell, terminal } };
}

function refuseForbiddenMode(mode: Mode, ceiling: Ceiling): void {
  if (ceiling.approval.modes.includes(mode)) return;
  const allowed = ceiling.approval.modes.map((one) => `\`${one}\``).join(", ");
  throw new CofferdamError("CONFIG_INVALID", `operator profiles do not allow the mode \`${mode}\``, {
    hint: allowed === "" ? "no mode is allowed by all of them" : `use ${allowed}`,
  });
}

function backendOf(host: Host): Backend {
  const backend = backendFor(host.simulated === null ? host.platform : "darwin");
  if (backend !== null) return backend;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", `there is no backend for ${host.platform}`, {
    hint: "use Linux with bubblewrap",
  });
}

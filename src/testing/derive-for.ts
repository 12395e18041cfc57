import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { CofferdamError } from "../errors.ts";
import { type Host, thisHost } from "../host/look/host.ts";
import { homesOf } from "../host/look/user.ts";
import { assertOptions, type OptionsOf } from "../policy/options.ts";
import { intersect } from "../profile/intersect.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { settingsOf } from "../session/resolve-setup.ts";
import { SUPERVISOR_OPTIONS } from "../session/supervisor-options.ts";
import { deriveFileNeeds, deriveShellNeeds } from "../tool/derive.ts";
import { FILE_TOOLS, type FileToolName, workOf } from "../tool/files/all.ts";

/** A profile derived from a config, with the names under which its paths are printed. */
export interface DerivedProfile {
  readonly profile: Profile;
  /** Names for paths in a snapshot: `${workspace}`, `${home}`, `${runtime}`. */
  readonly names: ReadonlyMap<string, readonly AbsolutePath[]>;
  /** Patterns of the masks that every ceiling has. A snapshot prints them as one line. */
  readonly protections: ReadonlySet<string>;
  /** The base of relative targets in matchers. */
  readonly workspace: AbsolutePath;
}

/** The access that a config gives a tool: without approval, after an approval, and the ceiling of both. */
export interface Derivation {
  readonly withoutApproval: DerivedProfile;
  readonly withApproval: DerivedProfile;
  readonly ceiling: DerivedProfile;
}

/** The options of `deriveFor`. */
export interface DeriveOptions {
  /** Further operator profiles: shipped names or files. */
  readonly profiles?: readonly string[];
  /** @internal */
  readonly host?: Host;
}

const OPTIONS: OptionsOf<DeriveOptions> = SUPERVISOR_OPTIONS.pick({ profiles: true, host: true });

/**
 * Derives the access that a config file gives a tool on this machine, exactly as a supervisor would. Starts nothing.
 * Throws what `loadConfig` throws, and `USAGE` for unknown options.
 */
export function deriveFor(
  configFile: string,
  tool: "shell" | FileToolName = "shell",
  options: DeriveOptions = {},
): Derivation {
  assertOptions("deriveFor", OPTIONS, options);
  const file = FILE_TOOLS.find(({ name }) => name === tool);
  if (typeof configFile !== "string" || (tool !== "shell" && file === undefined))
    throw new CofferdamError("USAGE", "`deriveFor` needs a config file, and `shell` or a file tool", {
      hint: 'write `deriveFor("cofferdam.yaml", "shell")`',
    });
  const host = options.host ?? thisHost();
  const loaded = loadConfig(host, { config: resolve(host.cwd, configFile), profiles: options.profiles });
  const { workspace, runtimes } = loaded.config;
  const names = new Map([
    ["${runtime}", runtimes.flatMap((runtime) => runtime.read)],
    ["${workspace}", [workspace]],
    ["${home}", [...homesOf(host)]],
  ]);
  const always = loaded.ceiling.layers.find((layer) => layer.name === "protected")?.profile.masks ?? [];
  const protections = new Set(always.map((mask) => mask.pattern.text));
  const derived = (profile: Profile): DerivedProfile => ({
    profile,
    names,
    protections,
    workspace: knownPath(workspace),
  });
  const settings = settingsOf(loaded);
  const needs = file === undefined ? deriveShellNeeds(settings) : deriveFileNeeds(settings, workOf(file));
  const ceiling = loaded.ceiling.profile;
  return {
    withoutApproval: derived(intersect(needs.withoutApproval, ceiling)),
    withApproval: derived(intersect(needs.withApproval, ceiling)),
    ceiling: derived(ceiling),
  };
}

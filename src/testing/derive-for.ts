import { resolve } from "node:path";
import { z } from "zod";
import { loadConfig } from "../config/load.ts";
import { CofferdamError } from "../errors.ts";
import { type Host, thisHost } from "../host/host.ts";
import { homesOf } from "../host/user.ts";
import { intersect } from "../profile/intersect.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { assertOptions, having, type OptionsOf, text } from "../supervisor/options.ts";
import { settingsOf } from "../supervisor/supervisor.ts";
import { deriveFileNeeds, deriveShellNeeds } from "../tool/derive.ts";
import { FILE_TOOLS, type FileToolName, workOf } from "../tool/files/all.ts";

/** A profile that was derived from a config, with the names by which its paths are printed. */
export interface DerivedProfile {
  readonly profile: Profile;
  /** What stands for a path in a snapshot: `${workspace}`, `${home}`, `${runtime}`. */
  readonly names: ReadonlyMap<string, readonly AbsolutePath[]>;
  /** Patterns of the masks that every ceiling has: a snapshot names them in one line. */
  readonly protections: ReadonlySet<string>;
  /** Relative targets of matchers start here. */
  readonly workspace: AbsolutePath;
}

/** What a config grants a tool: without asking, after a yes, and the ceiling over both. */
export interface Derivation {
  readonly unasked: DerivedProfile;
  readonly onYes: DerivedProfile;
  readonly ceiling: DerivedProfile;
}

/** How a derivation is made for a test. */
export interface DeriveOptions {
  /** Further operator profiles: shipped names or files. */
  readonly profiles?: readonly string[];
  readonly host?: Host;
}

const PROFILES = 'a list of names or paths: `["strict"]`';
const OPTIONS: OptionsOf<DeriveOptions> = z.strictObject({
  profiles: z.array(text(PROFILES), { error: PROFILES }).optional(),
  host: having("what `thisHost` gives", "now", "id").optional(),
});

/**
 * Derives what a config file grants a tool on this machine, exactly as a supervisor would, without starting anything.
 * Throws what `loadConfig` throws, and `USAGE` for options that there are not.
 */
export function deriveFor(
  configFile: string,
  tool: "shell" | FileToolName = "shell",
  options: DeriveOptions = {},
): Derivation {
  assertOptions("deriveFor", OPTIONS, options);
  const file = FILE_TOOLS.find(({ name }) => name === tool);
  if (typeof configFile !== "string" || (tool !== "shell" && file === undefined))
    throw new CofferdamError("USAGE", "`deriveFor` takes a config file, and `shell` or a tool on files", {
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
    unasked: derived(intersect(needs.unasked, ceiling)),
    onYes: derived(intersect(needs.onYes, ceiling)),
    ceiling: derived(ceiling),
  };
}

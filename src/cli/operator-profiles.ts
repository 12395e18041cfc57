import { readdirSync } from "node:fs";
import { namedByCaller, variablesFor } from "../config/assemble.ts";
import type { Config, LoadedConfig } from "../config/config.ts";
import { layerOf } from "../config/operator-layer.ts";
import {
  loadProfile,
  type ProfileReader,
  type ProfileSource,
  safeReader,
  withBases,
} from "../config/operator-profile.ts";
import { parseData } from "../config/parse.ts";
import { walk } from "../config/safe-file.ts";
import { ProfileFile } from "../config/schema.ts";
import { shippedNames } from "../config/shipped.ts";
import { readYaml } from "../config/yaml.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { orNull } from "../host/or-null.ts";
import { type Demands, meetDemands, NO_DEMANDS } from "../policy/compare-demands.ts";
import type { Layer } from "../profile/explain.ts";
import { intersectAll } from "../profile/intersect.ts";
import { type AbsolutePath, absolutePath, joinPath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";

/** One operator profile with all that it extends: its layers, their intersection, and their joint demands. */
export interface NamedLayers {
  readonly layers: readonly Layer[];
  readonly profile: Profile;
  /** The profile with `ELSEWHERE` as workspace and home. */
  readonly elsewhere: Profile;
  readonly demands: Demands;
}

/** Invented, separate folders, so that a variable never equals a folder that it happens to stand for. */
const ELSEWHERE = { workspace: [absolutePath("/${workspace}")], home: [absolutePath("/${home}")] };

/** The profile with this name or file, as it would apply under the config. Throws what `loadProfile` throws. */
export function profileNamed(host: Host, config: Config, text: string): NamedLayers {
  const { source, naming } = namedByCaller(text, host.cwd);
  const variables = variablesFor(host, config);
  const safely = safeReader(host);
  const bytesOf = new Map<AbsolutePath, Uint8Array>();
  const read: ProfileReader = (one, by) => {
    const file = safely(one, by);
    bytesOf.set(file.path, file.bytes);
    return file;
  };
  const roots = config.roots.map((root) => root.path);
  const loading = { read, variables, roots, follow: walk, known: new Map() };
  const files = withBases([loadProfile(source, naming, loading)]);
  const layers = files.map((one) => one.layer);
  // Its examples may depend on this place, so only its sections are read.
  const elsewhere = files.map(({ path }) => {
    const yaml = readYaml(bytesOf.get(path) ?? new Uint8Array(), path, "PROFILE_INVALID");
    return layerOf(parseData(ProfileFile, yaml), yaml, { ...variables, ...ELSEWHERE }).profile;
  });
  return {
    layers,
    profile: intersectAll(layers.map((layer) => layer.profile)),
    elsewhere: intersectAll(elsewhere),
    demands: files.reduce<Demands>(meetDemands, NO_DEMANDS),
  };
}

/** One available operator profile: its name or path, its description, and whether it applies here. */
export interface ListedProfile {
  readonly name: string;
  readonly description: string;
  readonly from: string;
  readonly isInForce: boolean;
}

/** The shipped profiles and those of the operators' folders. An unreadable one says so in its description. */
export function listProfiles(host: Host, loaded: LoadedConfig | null): readonly ListedProfile[] {
  const shipped = shippedNames().map((name): ProfileSource => ({ kind: "shipped", name }));
  const folders = host.operatorFolders.flatMap((folder) =>
    namesIn(folder).map((name): ProfileSource => ({ kind: "file", path: joinPath(folder, name) })),
  );
  return [...shipped, ...folders].map((source) => listed(host, source, loaded));
}

function listed(host: Host, source: ProfileSource, loaded: LoadedConfig | null): ListedProfile {
  const from = source.kind === "shipped" ? "shipped" : source.path;
  try {
    const { path, bytes } = safeReader(host)(source, {
      code: "PROFILE_INVALID",
      by: "PROFILE_INVALID",
      at: null,
    });
    const { profile, description = "" } = parseData(ProfileFile, readYaml(bytes, path, "PROFILE_INVALID"));
    return { name: profile, description, from, isInForce: loaded?.files.includes(path) ?? false };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const name = source.kind === "shipped" ? source.name : "?";
    return { name, description: `cannot be used: ${error.message}`, from, isInForce: false };
  }
}

function namesIn(folder: AbsolutePath): readonly string[] {
  // A missing folder contains no profiles. An unreadable one is reported when the ceiling is loaded.
  return orNull(() => readdirSync(folder).toSorted()) ?? [];
}

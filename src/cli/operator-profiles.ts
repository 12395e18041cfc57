import { readdirSync } from "node:fs";
import { namedByCaller, variablesFor } from "../config/assemble.ts";
import type { Config, Loaded } from "../config/config.ts";
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
import type { Host } from "../host/host.ts";
import { type Demands, meetDemands, NO_DEMANDS } from "../policy/compare-demands.ts";
import type { Layer } from "../profile/explain.ts";
import { intersectAll } from "../profile/intersect.ts";
import { type AbsolutePath, absolutePath, joinPath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";

/** An operator profile by itself, with all that it extends: its layers, their meet, and what they demand together. */
export interface NamedLayers {
  readonly layers: readonly Layer[];
  readonly profile: Profile;
  /** The same where the workspace and the home are other folders, `ELSEWHERE`. */
  readonly elsewhere: Profile;
  readonly demands: Demands;
}

/** Made-up folders that lie apart, so that a variable and the folder that it happens to stand for can be told apart. */
const ELSEWHERE = { workspace: [absolutePath("/${workspace}")], home: [absolutePath("/${home}")] };

/** The profile of that name or file, as it would apply under the config. Throws what `loadProfile` throws. */
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
  // Its examples may speak of this place, so elsewhere only the sections are read.
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

/** One operator profile that there is: by which name or path, what it says of itself, whether it applies here. */
export interface ListedProfile {
  readonly name: string;
  readonly description: string;
  readonly from: string;
  readonly isInForce: boolean;
}

/** The shipped profiles and those of the operators' folders. One that can't be read says so in its description. */
export function listProfiles(host: Host, loaded: Loaded | null): readonly ListedProfile[] {
  const shipped = shippedNames().map((name): ProfileSource => ({ kind: "shipped", name }));
  const folders = host.operatorFolders.flatMap((folder) =>
    namesIn(folder).map((name): ProfileSource => ({ kind: "file", path: joinPath(folder, name) })),
  );
  return [...shipped, ...folders].map((source) => listed(host, source, loaded));
}

function listed(host: Host, source: ProfileSource, loaded: Loaded | null): ListedProfile {
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
  try {
    return readdirSync(folder).toSorted();
  } catch {
    // A folder that is not there holds no profiles; one that can't be read is told by whatever loads the ceiling.
    return [];
  }
}

import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import type { AppearedPolicy } from "../policy/appeared-policy.ts";
import { type OperatorApproval, operatorApproval } from "../policy/approval-section.ts";
import { sha256 } from "../profile/digest.ts";
import { type ExecutedNames, executedNames } from "../profile/executed.ts";
import type { Layer } from "../profile/explain.ts";
import { intersectAll } from "../profile/intersect.ts";
import { type AbsolutePath, absolutePath, isInside, nameOf, parentOf } from "../profile/path.ts";
import { masksFrom, type PathVariables } from "../profile/sections.ts";
import { quote } from "../shell/quote.ts";
import { assertRuleExamples } from "./example-check.ts";
import { executedTable, masksOutsideTrees } from "./executed-table.ts";
import { assertExamples, layerOf, placed } from "./operator-layer.ts";
import type { PathWalk } from "./operator-path.ts";
import { parseData } from "./parse.ts";
import { type Naming, type ReadFile, readSafely } from "./safe-file.ts";
import { ProfileFile } from "./schema.ts";
import { isShippedName, readShipped } from "./shipped.ts";
import { positionAt, readYaml, type YamlFile } from "./yaml.ts";

/** The name of an operator profile: one that the package ships, or a file (absolute, as written). */
export type ProfileSource =
  | { readonly kind: "shipped"; readonly name: string }
  | { readonly kind: "file"; readonly path: string };

/** Reads a profile's bytes; throws if they must not be used. */
export type ProfileReader = (source: ProfileSource, naming: Naming) => ReadFile;

/** One operator file, and the files it extends. */
export interface OperatorProfile {
  readonly path: AbsolutePath;
  readonly source: ProfileSource;
  readonly digest: string;
  readonly layer: Layer;
  readonly approval: OperatorApproval;
  readonly runAs: "any" | "not-root";
  /** Files that programs of the host execute, in addition to other profiles. */
  readonly executed: readonly ExecutedNames[];
  /** The minimum policy for such files if a call made them. */
  readonly appeared: AppearedPolicy;
  readonly bases: readonly OperatorProfile[];
}

/** The context for reading operator files of one kind; each file is read once. */
export interface ProfileLoading {
  readonly read: ProfileReader;
  readonly variables: PathVariables;
  /** Folders that the config grants. */
  readonly roots: readonly AbsolutePath[];
  readonly follow: PathWalk;
  readonly known: Map<string, OperatorProfile>;
}

/** Maximum depth of `extends`, and maximum of profiles in all. */
const MAX_LEVELS = 32;
const MAX_PROFILES = 256;

/** The reader of files that only root and the caller can have written, and of shipped ones. */
export function safeReader(host: Host): ProfileReader {
  return (source, naming) =>
    source.kind === "shipped" ? readShipped(source.name, naming) : readSafely(host, source.path, naming);
}

/** The profile that a text names: a shipped bare word, else a path from the folder. Throws `PATH_INVALID`. */
export function profileSource(text: string, folder: AbsolutePath): ProfileSource {
  if (isShippedName(text)) return { kind: "shipped", name: text };
  return { kind: "file", path: absolutePath(text.startsWith("/") ? text : `${folder}/${text}`) };
}

/**
 * Loads one operator profile with all that it extends, and checks its examples against them together; the examples of a
 * rule apply to that rule only. Throws `PROFILE_INVALID` (also for a file that extends itself), `PATH_INVALID`,
 * `PATTERN_INVALID`, `HOST_INVALID`; a missing file throws the code of the file that names it.
 */
export function loadProfile(
  source: ProfileSource,
  naming: Naming,
  loading: ProfileLoading,
  above: readonly AbsolutePath[] = [],
): OperatorProfile {
  const key = source.kind === "shipped" ? source.name : source.path;
  const known = loading.known.get(key);
  if (known !== undefined) return known;
  assertFew(above, naming, loading);
  const { path, bytes } = loading.read(source, naming);
  assertNoCycle(path, above, naming);
  const yaml = readYaml(bytes, path, "PROFILE_INVALID");
  const file = parseData(ProfileFile, yaml);
  assertRuleExamples(file, yaml);
  const table = source.kind === "shipped" ? executedTable(source.name) : null;
  const outside = table === null ? null : { ...table, masks: masksOutsideTrees(table, loading.roots) };
  const own = layerOf(file, yaml, loading.variables, loading.follow, outside);
  const bases = basesOf(file, yaml, path, loading, above);
  const profile: OperatorProfile = {
    path,
    source,
    digest: sha256(bytes),
    layer: own,
    approval: operatorApproval(file.approval),
    runAs: file.run_as ?? "any",
    executed: [...(table?.names ?? []), ...executedIn(file, loading.variables)],
    appeared: file.appeared ?? "report",
    bases,
  };
  const { variables, follow } = loading;
  const meant = source.kind === "shipped" ? "way" : "place";
  if (file.expect !== undefined)
    assertExamples(together(profile), file.expect, yaml, { variables, meant, follow });
  loading.known.set(key, profile);
  return profile;
}

/** A shipped name, or the path (in the workspace `./ops/strict.yaml`): a file's own name could be a shipped one's. */
export function profileLabel({ source, path }: OperatorProfile, workspace: AbsolutePath): string {
  if (source.kind === "shipped") return source.name;
  return quote([
    isInside(path, workspace) ? `.${path.slice(workspace === "/" ? 0 : workspace.length)}` : path,
  ]);
}

/** The profiles and all that they extend, each once, in the order they were named. */
export function withBases(profiles: readonly OperatorProfile[]): readonly OperatorProfile[] {
  const found = new Map<string, OperatorProfile>();
  const add = (profile: OperatorProfile): void => {
    const key = `${profile.digest} ${profile.path}`;
    if (found.has(key)) return;
    found.set(key, profile);
    for (const base of profile.bases) add(base);
  };
  for (const profile of profiles) add(profile);
  return [...found.values()];
}

function executedIn({ executed = [] }: ProfileFile, variables: PathVariables): readonly ExecutedNames[] {
  return executed.flatMap((row) => {
    const masks = masksFrom({ pattern: row.names, at_most: "read", ignore_case: true }, variables);
    return executedNames(
      row,
      masks.map(({ pattern }) => pattern),
    );
  });
}

function basesOf(
  file: ProfileFile,
  yaml: YamlFile,
  path: AbsolutePath,
  loading: ProfileLoading,
  above: readonly AbsolutePath[],
): readonly OperatorProfile[] {
  return (file.extends ?? []).map((text, index) => {
    const source = placed(yaml, ["extends", index], () => profileSource(text, parentOf(path)));
    const naming: Naming = {
      code: "PROFILE_INVALID",
      by: "PROFILE_INVALID",
      at: positionAt(yaml, ["extends", index]),
    };
    return loadProfile(source, naming, loading, [...above, path]);
  });
}

function assertFew(above: readonly AbsolutePath[], naming: Naming, loading: ProfileLoading): void {
  const what =
    above.length >= MAX_LEVELS
      ? `profiles extend one another more than ${MAX_LEVELS} times`
      : `there are more than ${MAX_PROFILES} profiles`;
  if (above.length < MAX_LEVELS && loading.known.size < MAX_PROFILES) return;
  throw new CofferdamError("PROFILE_INVALID", what, {
    hint: "merge them into fewer files",
    ...(naming.at === null ? {} : { at: naming.at }),
  });
}

function assertNoCycle(path: AbsolutePath, above: readonly AbsolutePath[], naming: Naming): void {
  if (!above.includes(path)) return;
  const names = above.slice(above.indexOf(path) + 1).map((one) => visible(nameOf(one)));
  const way = names.length === 0 ? "" : ` through ${names.join(", ")}`;
  throw new CofferdamError("PROFILE_INVALID", `${visible(nameOf(path))} extends itself${way}`, {
    hint: "remove one of the names from `extends`",
    ...(naming.at === null ? {} : { at: naming.at }),
  });
}

/** The file and the files it extends as one layer, for its own examples. */
function together(profile: OperatorProfile): Layer {
  const layers = withBases([profile]).map((one) => one.layer);
  if (layers.length === 1) return profile.layer;
  return {
    name: profile.layer.name,
    profile: intersectAll(layers.map((layer) => layer.profile)),
    sources: new Map(layers.toReversed().flatMap((layer) => [...layer.sources])),
  };
}

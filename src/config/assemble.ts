import { CofferdamError, escapeInvisible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { there } from "../host/look/mac/simulated.ts";
import { everyRuntime, passedOver } from "../host/look/runtimes.ts";
import type { StoreSetting } from "../policy/approval-channels.ts";
import { sha256 } from "../profile/digest.ts";
import { type AbsolutePath, isInside, joinPath, parentOf } from "../profile/path.ts";
import type { PathVariables } from "../profile/sections.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import type { Config, ConfigOrigin, LoadedConfig } from "./config.ts";
import { assertEnvSettable } from "./env-names.ts";
import { assertConfigExamples } from "./example-check.ts";
import { printGrants } from "./grants-line.ts";
import { realHomes } from "./homes.ts";
import { journalPlace, NO_JOURNAL } from "./journal-place.ts";
import { CONFIG_NAME, watchedPath } from "./locate.ts";
import { type LoadedCeiling, loadCeiling, type NamedProfile } from "./operator-files.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import {
  type OperatorProfile,
  type ProfileReader,
  type ProfileSource,
  profileSource,
  safeReader,
} from "./operator-profile.ts";
import { parseData } from "./parse.ts";
import { configuredRuntimes } from "./project-runtimes.ts";
import { reviewerPlace } from "./reviewer-place.ts";
import { resolveRoots, rootFolder } from "./roots.ts";
import type { ReadFile } from "./safe-file.ts";
import { ConfigFile } from "./schema.ts";
import { assertSettings } from "./settings-check.ts";
import { isShippedName } from "./shipped.ts";
import { positionAt, readYaml, type YamlFile } from "./yaml.ts";

/** A config file's content, its origin, and the reader for its profiles. */
export interface ConfigSource {
  readonly origin: Extract<ConfigOrigin, { readonly kind: "named" | "trusted" }>;
  readonly file: ReadFile;
  readonly readProfile: ProfileReader;
}

/** A loaded config, and the part of its ceiling that it names itself. */
export interface Assembled {
  readonly loaded: LoadedConfig;
  readonly ownProfiles: readonly OperatorProfile[];
}

/** Assembles a config. Throws `CONFIG_INVALID`, `ROOT_REFUSED`, `PATH_INVALID`, `HOST_INVALID`, errors of profiles. */
export function assemble(host: Host, source: ConfigSource, byCaller: readonly NamedProfile[]): Assembled {
  const { path, bytes } = source.file;
  const workspace = parentOf(path);
  const yaml = readYaml(bytes, path, "CONFIG_INVALID");
  const file = parseData(ConfigFile, yaml);
  assertSettings(file, yaml);
  assertConfigExamples(file, yaml);
  const roots = resolveRoots(host, file.sandbox.paths, workspace, yaml);
  const runtimes = configuredRuntimes(host, file.sandbox.runtimes, { workspace, roots }, yaml);
  const over = loadCeiling(host, {
    workspace,
    variables: variablesFor(host, { workspace, runtimes }),
    roots,
    byConfig: profilesOf(file, yaml, workspace),
    configReader: source.readProfile,
    byCaller,
  });
  assertEnvSettable(file.sandbox, over.ceiling.layers, yaml);
  const config: Config = {
    origin: source.origin,
    workspace,
    roots,
    sandbox: file.sandbox,
    shell: file.shell,
    approval: file.approval,
    webFetch: file.web_fetch,
    mcp: file.mcp,
    journal: journalPlace(host, file.journal, { workspace, roots, runtimes }, yaml),
    reviewer: reviewerPlace(
      host,
      file.approval.reviewer,
      { workspace, roots, runtimes, shell: file.shell },
      yaml,
    ),
    runtimes,
    positions: yaml.keys,
  };
  return { loaded: together(host, config, over, source.file), ownProfiles: over.ofConfig };
}

/** Stops endless forking before it stops the machine. Memory has no limit that fits every machine. */
const DEFAULT_PROCESSES = 4096;

/**
 * The policy without a config: the folder as the one root, writable without approval, the files that programs in PATH
 * need, no network. PATH entries that lead through the folder have no effect. Throws `ROOT_REFUSED` if it is too wide.
 */
export function assembleDefault(
  host: Host,
  cwd: AbsolutePath,
  byCaller: readonly NamedProfile[],
): LoadedConfig {
  const path = workingFolder(host, cwd);
  const runtimes = everyRuntime(host, [path]);
  const names = ["system", ...runtimes.map(({ name }) => name).filter((name) => name !== "system")];
  const section = { root: path, mode: "rw", write_approval: false } as const;
  const limits = { processes: DEFAULT_PROCESSES };
  const file = ConfigFile.parse({
    version: 1,
    sandbox: { paths: { workspace: section }, runtimes: names, limits },
  });
  const root: Root = {
    name: "workspace",
    path,
    mode: "rw",
    suffixes: "any",
    writeApproval: false,
    readApproval: false,
    at: null,
  };
  const built = { workspace: path, origin: { kind: "default" }, roots: [root], runtimes } as const;
  const loaded = assembleBuiltIn(host, file, built, byCaller);
  const problem = passedOver(host, runtimes, [path]);
  return problem === null ? loaded : { ...loaded, notes: [...loaded.notes, `skipped: ${problem}`] };
}

/** The policy for a desk under a config that may not be used: its store, and nothing else. It is for no call. */
export function assembleStoreOnly(
  host: Host,
  path: AbsolutePath,
  store: StoreSetting,
  byCaller: readonly NamedProfile[],
): LoadedConfig {
  const file = ConfigFile.parse({ version: 1, approval: { store } });
  const origin = { kind: "untrusted", file: path } as const;
  return assembleBuiltIn(
    host,
    file,
    { workspace: parentOf(path), origin, roots: [], runtimes: [] },
    byCaller,
  );
}

function assembleBuiltIn(
  host: Host,
  { sandbox, shell, approval, web_fetch: webFetch, mcp }: ConfigFile,
  built: Pick<Config, "origin" | "workspace" | "roots" | "runtimes">,
  byCaller: readonly NamedProfile[],
): LoadedConfig {
  const { workspace, roots } = built;
  const over = loadCeiling(host, {
    workspace,
    variables: variablesFor(host, built),
    roots,
    byConfig: [],
    configReader: safeReader(host),
    byCaller,
  });
  const config: Config = {
    ...built,
    sandbox,
    shell,
    approval,
    webFetch,
    mcp,
    journal: NO_JOURNAL,
    reviewer: null,
    positions: new Map(),
  };
  return together(host, config, over, null);
}

function workingFolder(host: Host, cwd: AbsolutePath): AbsolutePath {
  try {
    return rootFolder(host, cwd);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    throw new CofferdamError(error.code, error.message, {
      hint: `start in a project's folder, or write a \`${CONFIG_NAME}\` that lists smaller folders`,
      cause: error,
    });
  }
}

/** The variables of operator profiles under a config; on a simulated Mac, with its paths. */
export function variablesFor(
  host: Host,
  { workspace, runtimes }: Pick<Config, "workspace" | "runtimes">,
): PathVariables {
  const { simulated } = host;
  const once = (paths: readonly AbsolutePath[]): readonly AbsolutePath[] => [
    ...new Set(simulated === null ? paths : paths.map((path) => there(simulated, path))),
  ];
  const read = (these: readonly Runtime[]): readonly AbsolutePath[] =>
    once(these.flatMap((runtime) => runtime.read));
  return {
    workspace: once([workspace]),
    home: once(realHomes(host)),
    runtime: read(runtimes),
    system: read(runtimes.filter((runtime) => runtime.name === "system")),
  };
}

function profilesOf(file: ConfigFile, yaml: YamlFile, folder: AbsolutePath): readonly NamedProfile[] {
  return file.sandbox.os_profile.map((text, index) => {
    const place = ["sandbox", "os_profile", index];
    const source = placed(yaml, place, () => profileSource(text, folder));
    return { source, naming: { code: "PROFILE_INVALID", by: "CONFIG_INVALID", at: positionAt(yaml, place) } };
  });
}

/** Adds the operators' folders to the files: a file in them decides over later calls, so none may be changed. */
function together(
  host: Host,
  config: Config,
  { ceiling, profiles, ofConfig }: LoadedCeiling,
  file: Pick<ReadFile, "path" | "bytes"> | null,
): LoadedConfig {
  const folders = host.operatorFolders
    .map((folder) => realPath(folder))
    .filter((folder) => config.roots.some((root) => isInside(folder, root.path)));
  // Without a config, none may be made that applies from then on.
  const own = file?.path ?? joinPath(config.workspace, CONFIG_NAME);
  const files = [...new Set([own, ...profiles.map((profile) => profile.path), ...folders])];
  const read = file === null ? null : sha256(file.bytes);
  const digests = {
    config: read,
    own: digestOf([own, read], ofConfig),
    all: digestOf([own, read], [...ofConfig, ...profiles]),
  };
  const watched = [
    ...(file === null ? [] : [file.path]),
    ...[...ofConfig, ...profiles].flatMap(({ source, path }) =>
      source.kind === "shipped" ? [] : [path, watchedPath(source.path)],
    ),
    ...host.operatorFolders,
  ];
  return {
    config,
    ceiling,
    files,
    digests,
    trust: { record: null, isTrusted: false },
    watched: [...new Set(watched)],
    notes: notesOn(config, ceiling.labels),
  };
}

function digestOf(file: readonly (string | null)[], profiles: readonly OperatorProfile[]): string {
  return sha256(JSON.stringify([file, profiles.map(({ path, digest }) => [path, digest])]));
}

const ORIGINS = { named: "named by --config", trusted: "trusted", untrusted: "not used" } as const;

function notesOn(config: Config, labels: readonly string[]): readonly string[] {
  const { origin } = config;
  const which =
    origin.kind === "default"
      ? "config: built in (no cofferdam.yaml found)"
      : `config: ${escapeInvisible(origin.file)} (${ORIGINS[origin.kind]})`;
  const first = `${which}; profiles: ${labels.join(", ")}`;
  return origin.kind === "named" ? [first, `grants: ${printGrants(config)}`] : [first];
}

/** A profile named on the command line: a shipped one by a bare word, else a path relative to the folder. */
export function namedByCaller(text: string, cwd: AbsolutePath): NamedProfile {
  const path = text.startsWith("/") ? text : `${cwd}/${text}`;
  const source: ProfileSource = isShippedName(text)
    ? { kind: "shipped", name: text }
    : { kind: "file", path };
  return { source, naming: { code: "PROFILE_INVALID", by: "PROFILE_INVALID", at: null } };
}

import type { LoadedConfig } from "../../config/config.ts";
import { CallWatches } from "../../host/launch/call-watches.ts";
import { FactsMemory } from "../../host/launch/facts.ts";
import { Quarantine } from "../../host/launch/quarantine/quarantine.ts";
import { RunningCalls } from "../../host/launch/running-calls.ts";
import type { Host } from "../../host/look/host.ts";
import {
  commandsAnywhere,
  foldersOfPath,
  STARTED_BEFORE_US,
} from "../../host/look/installation/path-folders.ts";
import type { WatchFilter } from "../../host/look/search/folder.ts";
import { boundsFrom, MaskSearch } from "../../host/look/search/search.ts";
import { homesOf } from "../../host/look/user.ts";
import { type AppearedPolicy, strictestAppeared } from "../../policy/appeared-policy.ts";
import { isInDependencyTree } from "../../profile/dependency-trees.ts";
import {
  type ExecutedFinder,
  type ExecutedNames,
  executedFinder,
  executedFolderFinder,
  executedNames,
  OURSELVES,
} from "../../profile/executed.ts";
import { joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";

/** The parts that handle files made by calls and executed by hosts: one of each per supervisor. */
export interface AppearedParts {
  readonly quarantine: Quarantine;
  readonly watches: CallWatches;
  readonly calls: RunningCalls;
  readonly executed: ExecutedFinder;
  /** Finds the program that would execute a file in a folder at this path. */
  readonly executedIn: ExecutedFinder;
  /** The strictest handling that the config and operators demand. */
  readonly appeared: AppearedPolicy;
  readonly memory: FactsMemory;
}

/** Makes the parts; nothing is looked up yet. */
export function appearedParts(host: Host, loaded: LoadedConfig): AppearedParts {
  const { config, ceiling } = loaded;
  const shadows = shadowNames(host);
  const [isShadow, isBare] = [new Set(shadows.all), new Set(shadows.bare)];
  const names = [...shadows.all, ...ceiling.executed];
  const executed = executedFinder(names);
  const roots = config.roots.map(({ path }) => path);
  const watch: WatchFilter = (path, kind) => {
    // A link may lead to the installed program.
    if (kind === "link") return true;
    const row = executed(path);
    if (row === null) return false;
    // A folder is no command, and many folders have such a name.
    if (isBare.has(row)) return kind === "file";
    if (isShadow.has(row)) return true;
    return row.runs === "started" && !isInDependencyTree(path, row, roots);
  };
  return {
    quarantine: new Quarantine(host.stateFolder, host),
    watches: new CallWatches(host.stateFolder),
    calls: new RunningCalls(),
    executed,
    executedIn: executedFolderFinder(names),
    appeared: appearedPolicyOf(loaded),
    memory: new FactsMemory(new MaskSearch(boundsFrom(config.sandbox.search), { watch })),
  };
}

/** The parts that a config decides about, after a change of it; the same ones if it changes none of them. */
export function followAppeared(
  host: Host,
  loaded: LoadedConfig,
  before: AppearedParts & { readonly loaded: LoadedConfig },
): Pick<AppearedParts, "executed" | "executedIn" | "appeared" | "memory"> {
  const { executed, executedIn, memory } = before;
  const appeared = appearedPolicyOf(loaded);
  if (watchedBy(loaded) === watchedBy(before.loaded)) return { executed, executedIn, appeared, memory };
  const parts = appearedParts(host, loaded);
  return { executed: parts.executed, executedIn: parts.executedIn, appeared, memory: parts.memory };
}

function watchedBy({ config, ceiling }: LoadedConfig): string {
  const roots = config.roots.map(({ path }) => path);
  return JSON.stringify([roots, config.sandbox.search, ceiling.executed]);
}

/** The handling of files that calls make and hosts execute. */
export function appearedPolicyOf({ config, ceiling }: LoadedConfig): AppearedPolicy {
  return strictestAppeared(config.sandbox.appeared, ceiling.appeared);
}

/** Finds the program that executes the file at a path. */
export function executedOn(host: Host, { ceiling }: LoadedConfig): ExecutedFinder {
  return executedFinder([...shadowNames(host).all, ...ceiling.executed]);
}

/** Loaded by Yarn and pnpm into each Node they start (https://yarnpkg.com/features/pnp, https://pnpm.io/cli/exec). */
const PLUG_AND_PLAY = [".pnp.cjs", ".pnp.loader.mjs"];

/**
 * Names found instead of our program, or before it: by `npx cofferdam` before packages installed elsewhere
 * (https://docs.npmjs.com/cli/commands/npm-exec), and in PATH. Also files loaded before ours at the installation.
 * Existing ones are not ours to judge. `bare` are names in a shell's current folder, wherever that is.
 */
function shadowNames(host: Host): Readonly<Record<"all" | "bare", readonly ExecutedNames[]>> {
  const by = { by: OURSELVES, when: "it is started by name", runs: "unasked" } as const;
  const { parts, project } = host.installation();
  const packages = parts.map(({ path }) => path).filter((path) => nameOf(path) === "node_modules");
  const projects = new Set([...packages.map(parentOf), ...(project === null ? [] : [project])]);
  const surroundings = { ...host, homes: homesOf(host) };
  const paths = [
    ...foldersOfPath(surroundings).flatMap((folder) =>
      [OURSELVES, ...STARTED_BEFORE_US].map((name) => joinPath(folder, name)),
    ),
    ...[...projects].flatMap((folder) => PLUG_AND_PLAY.map((name) => joinPath(folder, name))),
  ];
  const commands = commandsAnywhere(surroundings);
  const bare = executedNames(by, commands.bare);
  return { all: [...executedNames(by, [...commands.named, ...paths.map(literalPattern)]), ...bare], bare };
}

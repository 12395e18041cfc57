import type { Loaded } from "../../config/config.ts";
import { CallWatches } from "../../host/call-watches.ts";
import { FactsMemory } from "../../host/facts.ts";
import type { Host } from "../../host/host.ts";
import { commandsAnywhere, foldersOfPath, STARTED_BEFORE_US } from "../../host/installation/path-folders.ts";
import { Quarantine } from "../../host/quarantine/quarantine.ts";
import { RunningCalls } from "../../host/running-calls.ts";
import type { Watch } from "../../host/search/folder.ts";
import { boundsFrom, MaskSearch } from "../../host/search/search.ts";
import { homesOf } from "../../host/user.ts";
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

/** What sees to files that hosts execute and that calls make: one of each for a supervisor. */
export interface AppearedParts {
  readonly quarantine: Quarantine;
  readonly watches: CallWatches;
  /** The calls that may make such files now. */
  readonly calls: RunningCalls;
  /** Which program executes what stands at a path. */
  readonly executed: ExecutedFinder;
  /** Which program executes what would lie in a folder of this path. */
  readonly executedIn: ExecutedFinder;
  /** What is done about them: the strictest of what the config and operators say. */
  readonly appeared: AppearedPolicy;
  readonly memory: FactsMemory;
}

/** Makes them; nothing is looked at yet. */
export function appearedParts(host: Host, loaded: Loaded): AppearedParts {
  const { config, ceiling } = loaded;
  const shadows = shadowNames(host);
  const [isShadow, isBare] = [new Set(shadows.all), new Set(shadows.bare)];
  const names = [...shadows.all, ...ceiling.executed];
  const executed = executedFinder(names);
  const roots = config.roots.map(({ path }) => path);
  const watch: Watch = (path, kind) => {
    // One may be another way to what was installed.
    if (kind === "link") return true;
    const row = executed(path);
    if (row === null) return false;
    // A folder is no command, and many have such a name.
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

/** What is done about files that hosts execute and that calls make. */
export function appearedPolicyOf({ config, ceiling }: Loaded): AppearedPolicy {
  return strictestAppeared(config.sandbox.appeared, ceiling.appeared);
}

/** Which program executes what stands at a path. */
export function executedOn(host: Host, { ceiling }: Loaded): ExecutedFinder {
  return executedFinder([...shadowNames(host).all, ...ceiling.executed]);
}

/** What Yarn and pnpm load into each Node that they start (https://yarnpkg.com/features/pnp, https://pnpm.io/cli/exec). */
const PLUG_AND_PLAY = [".pnp.cjs", ".pnp.loader.mjs"];

/**
 * Names under which a program would be found in place of ours, or before it: by `npx cofferdam`, before what is installed elsewhere
 * (https://docs.npmjs.com/cli/commands/npm-exec), and in folders of PATH; and what would be loaded before ours where that is
 * installed. Those that exist are others' business. `bare` are those of the folder that a shell stands in, wherever that is.
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

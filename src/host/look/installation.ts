import type { HostMount } from "../../backend/facts.ts";
import { COPY } from "../../backend/read-only-parts.ts";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  namesOf,
  parentOf,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import type { Pattern } from "../../profile/pattern.ts";
import { pathsByMounts } from "./installation/by-mounts.ts";
import { globalCommands } from "./installation/global-commands.ts";
import { libraryFolders } from "./installation/library-folders.ts";
import { libraryParts } from "./installation/library-parts.ts";
import { filesThatNodeObeys } from "./installation/node-files.ts";
import { identitiesOf } from "./installation/own-code.ts";
import { type LoadedPart, loadedPackages, loadedPart, searchedFolders } from "./installation/packages.ts";
import type { InstalledPart } from "./installation/part.ts";
import { commandParts, commandsAnywhere } from "./installation/path-folders.ts";
import type { PlugAndPlay } from "./installation/plug-and-play.ts";
import { placesOn } from "./installation/way.ts";
import { packagesOfWorkspaces } from "./installation/workspaces.ts";
import { realPathOf, statsOf } from "./nodes.ts";
import type { RunningProcess } from "./running-process.ts";

/** The place of the product's installation, and everything that decides which code it runs. */
export interface Installation {
  /** The real folder of the package, or the archive that holds it. */
  readonly folder: AbsolutePath;
  /** The folder whose `node_modules`, or whose Plug'n'Play files, hold the package; null for a checkout. */
  readonly project: AbsolutePath | null;
  readonly node: AbsolutePath;
  readonly parts: readonly InstalledPart[];
  /** The places of the parts themselves, before one in `node_modules` is replaced by all of that folder. */
  readonly places: readonly AbsolutePath[];
  readonly loaded: readonly LoadedPart[];
  /** Identities that are recognized again after a move: see `isOwnCode`. */
  readonly identities: ReadonlySet<string>;
  /** Commands that start the product, or run before it, from any current folder: see `commandsAnywhere`. */
  readonly commands: readonly Pattern[];
  /**
   * Folders from which programs of the system load libraries, missing or not; links there, and each program's
   * libraries.
   */
  readonly libraryFolders: readonly AbsolutePath[];
}

/** The parts of a checkout that are loaded, or that `scripts/cofferdam` runs; the rest, such as its tests, is not. */
const LOADED_OF_A_CHECKOUT = ["dist", "src", "profiles", "package.json", "scripts"];
/** npm, and the bundler of the worker, look for each of these. */
const RUN_BY_SCRIPTS = [
  ".cofferdam-node",
  "package-lock.json",
  "npm-shrinkwrap.json",
  ".npmrc",
  "rolldown.config.ts",
  "tsconfig.json",
  "tsconfig.build.json",
];

/**
 * Finds everything that decides which code a process of ours runs: the package and every package that it may load, the
 * folders where Node looks for these, Node itself, links to any of it, files named by Node's options and variables, and
 * workspaces' packages, which package managers remove together. Reads manifests and links; loads nothing.
 */
export function findInstallation(running: RunningProcess): Installation {
  const { plugAndPlay } = running;
  const folder = realPathOf(running.folder) ?? running.folder;
  const node = realPathOf(running.execPath) ?? running.execPath;
  const loaded = plugAndPlay === null ? loadedByNode(folder) : loadedByMap(plugAndPlay);
  const found = [
    ...(plugAndPlay === null
      ? [...packageParts(folder, loaded), ...partsByLinks(running.folder, folder)]
      : plugAndPlayParts(folder, plugAndPlay)),
    ...linksToUs(running, folder),
    ...placesOn(node, ROOT).map((path) => ({ path, ...NODE })),
    ...commandParts(running),
    ...libraryParts({ ...running, node }),
    ...filesThatNodeObeys({ ...running, folder }),
  ];
  const packages = packagesFolderOf(folder);
  const parts = wholeParts(found);
  return {
    folder,
    project:
      plugAndPlay === null ? (packages === null ? null : parentOf(packages)) : parentOf(plugAndPlay.map),
    node,
    parts,
    places: placesOf(found),
    loaded: [...loaded, { path: node, entries: [node] }, ...found.flatMap(loadedOf)],
    identities: identitiesOf([folder, node], parts),
    commands: commandsAnywhere(running).named,
    libraryFolders: libraryFolders(),
  };
}

/**
 * The same, with the packages in one of these folders that has a copy of ours, and the paths that other mounts show
 * there. Deeper copies, and what each loads from elsewhere, are found before each call: see `Copies`.
 */
export function asSeenIn(
  installation: Installation,
  folders: readonly AbsolutePath[],
  mounts: readonly HostMount[],
): Installation {
  const copies = folders
    .map((folder) => joinPath(folder, "node_modules"))
    .filter((packages) => isThere(joinPath(packages, "cofferdam")))
    .map((path) => ({ path, what: COPY }));
  const others = pathsByMounts([...installation.places, ...pathsOf(installation.parts)], folders, mounts);
  const shown = installation.parts.flatMap((part) =>
    (others.get(part.path) ?? []).map((path) => ({ ...part, path })),
  );
  return copies.length + shown.length === 0
    ? installation
    : {
        ...installation,
        parts: [...wholeParts([...installation.parts, ...copies]), ...shown],
        places: [...installation.places, ...placesOf(copies), ...[...others.values()].flat()],
      };
}

function loadedOf({ path, entries = [] }: InstalledPart): readonly LoadedPart[] {
  return entries.length === 0 ? [] : [{ path, entries }];
}

function placesOf(parts: readonly InstalledPart[]): readonly AbsolutePath[] {
  return [...new Set(parts.map(({ path }) => path))];
}

/** A folder with packages counts as a whole, as package managers remove it together; no path is in two of them. */
function wholeParts(parts: readonly InstalledPart[]): readonly InstalledPart[] {
  const whole = new Map<AbsolutePath, InstalledPart>();
  for (const { entries: _, ...part } of parts) {
    const path = part.isAlone === true ? part.path : (packagesFolderOf(part.path) ?? part.path);
    if (!whole.has(path)) whole.set(path, { ...part, path });
  }
  const outermost = [...whole.values()].filter(
    ({ path }) => ![...upwards(path)].slice(1).some((above) => whole.has(above)),
  );
  const together = outermost
    .filter(({ path }) => nameOf(path) === "node_modules")
    .flatMap(({ path }) => packagesOfWorkspaces(parentOf(path)))
    .filter((path) => outermost.every((one) => !isInside(path, one.path)));
  return [...outermost, ...[...new Set(together)].map((path) => ({ path, what: TOGETHER }))];
}

const NODE = { what: "the Node that runs cofferdam", wayOut: "use a Node outside the root" };
const OURS = "cofferdam's own code";
const PACKAGES = "the packages that cofferdam loads";
const TOGETHER = "packages that are installed together with cofferdam";

/** A package in `node_modules`, or a checkout: its files, its dependencies, and wherever Node would look for more. */
function packageParts(folder: AbsolutePath, loaded: readonly LoadedPart[]): readonly InstalledPart[] {
  const [, ...others] = pathsOf(loaded);
  return [
    ...ownParts(folder).map((path) => ({ path, what: OURS })),
    ...[...others, ...[folder, ...others].flatMap(searchedFolders)].map((path) => ({ path, what: PACKAGES })),
  ];
}

/**
 * With `--preserve-symlinks` Node looks for packages from the path by which it found us, links in it included
 * (https://nodejs.org/api/cli.html#--preserve-symlinks).
 */
function partsByLinks(written: AbsolutePath, folder: AbsolutePath): readonly InstalledPart[] {
  if (written === folder) return [];
  const [, ...links] = placesOn(written, ROOT);
  const [, ...others] = loadedPackages(written);
  const searched = searchedFolders(written).flatMap((path) => placesOn(path, ROOT));
  return [
    ...others.map((one) => ({ ...one, what: PACKAGES })),
    ...[...links, ...searched].map((path) => ({ path, what: PACKAGES })),
  ];
}

function ownParts(folder: AbsolutePath): readonly AbsolutePath[] {
  return packagesFolderOf(folder) === null ? checkoutParts(folder) : [folder];
}

/** Includes missing files that scripts would run: they would find them. */
function checkoutParts(folder: AbsolutePath): readonly AbsolutePath[] {
  const loaded = LOADED_OF_A_CHECKOUT.map((name) => joinPath(folder, name)).filter(isThere);
  const hasScripts = isThere(joinPath(folder, "scripts/cofferdam"));
  return [...loaded, ...(hasScripts ? RUN_BY_SCRIPTS.map((name) => joinPath(folder, name)) : [])];
}

/**
 * Plug'n'Play: a map of all packages in a file, and archives in one folder (https://yarnpkg.com/features/pnp), or
 * folders of their own (https://yarnpkg.com/protocol/portal).
 */
function plugAndPlayParts(
  folder: AbsolutePath,
  { map, packages, unmapped }: PlugAndPlay,
): readonly InstalledPart[] {
  const project = parentOf(map);
  const names = [".pnp.loader.mjs", ".pnp.data.json", ".yarn", ".yarnrc.yml"];
  const beside = names.map((name) => joinPath(project, name)).filter(isThere);
  const places = new Set(packages.map((path) => (isArchive(path) ? parentOf(path) : path)));
  const ways = [...places].flatMap((path) => placesOn(path, ROOT)).filter((path) => path !== folder);
  const own = places.has(parentOf(folder)) ? [] : ownParts(folder);
  const more = pathsOf(unmapped.flatMap(loadedPackages)).filter((path) => path !== folder);
  const searched = [...unmapped, ...more].flatMap(searchedFolders);
  return [
    ...[...ways, ...own, ...more, ...searched].map((path) => ({ path, what: PACKAGES })),
    ...[map, ...beside].map((path) => ({
      path,
      what: "Yarn's Plug'n'Play, which finds cofferdam's packages",
    })),
  ];
}

/** Packages in folders; a checkout may be run from its sources. */
function loadedByNode(folder: AbsolutePath): readonly LoadedPart[] {
  const loaded = loadedPackages(folder);
  if (packagesFolderOf(folder) !== null) return loaded;
  const dist = joinPath(folder, "dist");
  const sourceOf = (entry: AbsolutePath): AbsolutePath =>
    joinPath(folder, entry.replace(`${dist}/`, "src/").replace(/js$/, "ts"));
  return loaded.map(({ path, entries }) => ({
    path,
    entries:
      path === folder
        ? [...entries, ...entries.filter((entry) => isInside(entry, dist)).map(sourceOf)]
        : entries,
  }));
}

/** Parts loaded by a map: archives, folders, and the map itself. */
function loadedByMap({ map, packages, unmapped }: PlugAndPlay): readonly LoadedPart[] {
  return [...[...packages, map].map(loadedPart), ...unmapped.flatMap(loadedPackages)];
}

function isArchive(path: AbsolutePath): boolean {
  return nameOf(path).endsWith(".zip") && statsOf(path)?.isDirectory() !== true;
}

function pathsOf(loaded: readonly Pick<LoadedPart, "path">[]): readonly AbsolutePath[] {
  return loaded.map(({ path }) => path);
}

/** Links by which a command, or a program that uses the library, finds the package. */
function linksToUs({ program, cwd }: RunningProcess, folder: AbsolutePath): readonly InstalledPart[] {
  const starts = [cwd, ...(program === null ? [] : [parentOf(program)])];
  const named = starts.flatMap((start) => {
    const found = searchedFolders(start)
      .map((packages) => joinPath(packages, "cofferdam"))
      .find(isThere);
    return found === undefined ? [] : [found];
  });
  const written = [...named, ...(program === null ? [] : [program])].filter((path) =>
    isInside(realPathOf(path) ?? path, folder),
  );
  const packages = [folder, ...written].flatMap((path) => packagesFolderOf(path) ?? []);
  return [...written, ...globalCommands(packages)]
    .flatMap((path) => placesOn(path, ROOT))
    .map((path) => ({ path, what: OURS }));
}

/** The outermost `node_modules` that holds a path, or null. A missing package of ours could be put there by a tool. */
function packagesFolderOf(path: AbsolutePath): AbsolutePath | null {
  const names = namesOf(path);
  const at = names.indexOf("node_modules");
  return at < 0 ? null : knownPath(`/${names.slice(0, at + 1).join("/")}`);
}

function isThere(path: AbsolutePath): boolean {
  return statsOf(path) !== null;
}

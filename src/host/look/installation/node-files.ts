import { type AbsolutePath, joinPath, namesOf, parentOf, ROOT } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import type { RunningProcess } from "../running-process.ts";
import { type ModuleLookup, placesOfModule } from "./named-modules.ts";
import { type NodeOption, nodeOptions } from "./node-options.ts";
import { filesOfOpenssl } from "./openssl-files.ts";
import { placesOfMap } from "./package-map.ts";
import { loadedPart } from "./packages.ts";
import type { InstalledPart } from "./part.ts";
import { typeSettings } from "./type-settings.ts";
import { placesOn } from "./way.ts";

type Started = Pick<
  RunningProcess,
  "execPath" | "execArgv" | "env" | "cwd" | "homes" | "program" | "folder" | "compileCache"
>;

/** Options of Node that load a module before any program (https://nodejs.org/api/cli.html). */
const MODULE_OPTIONS: Readonly<Record<string, "require" | "import">> = {
  "--require": "require",
  "--import": "import",
  "--experimental-loader": "import",
};
const PACKAGE_MAP = "--experimental-package-map";
const FILE_OPTIONS = new Set([
  "--env-file",
  "--env-file-if-exists",
  "--experimental-config-file",
  PACKAGE_MAP,
  "--openssl-config",
  "--icu-data-dir",
  "--snapshot-blob",
]);

/** Variables of one file or folder: Node's own, those of OpenSSL, and those of the C library. */
const ONE_PATH = [
  "NODE_EXTRA_CA_CERTS",
  "NODE_COMPILE_CACHE",
  "NODE_ICU_DATA",
  "OPENSSL_CONF",
  "OPENSSL_CONF_INCLUDE",
  "OPENSSL_MODULES",
  "OPENSSL_ENGINES",
  "SSL_CERT_FILE",
];
/** Variables of several, with `:` between them; the last are those of the loader of macOS (dyld(1)). */
const SEVERAL_PATHS = [
  "NODE_PATH",
  "SSL_CERT_DIR",
  "GCONV_PATH",
  "LOCPATH",
  "DYLD_INSERT_LIBRARIES",
  "DYLD_LIBRARY_PATH",
  "DYLD_FALLBACK_LIBRARY_PATH",
  "DYLD_FRAMEWORK_PATH",
];

/** Files and folders that options or environment have Node load. Later starts do so too: tools must not change them. */
export function filesThatNodeObeys(started: Started): readonly InstalledPart[] {
  const { execPath, env, cwd, homes, compileCache } = started;
  const options = nodeOptions(started);
  // The folders that `require` searches last (https://nodejs.org/api/modules.html#loading-from-the-global-folders).
  const globalFolders = [
    ...homes.flatMap((home) => [joinPath(home, ".node_modules"), joinPath(home, ".node_libraries")]),
    joinPath(parentOf(parentOf(execPath)), "lib/node"),
  ];
  const ofPath = wordsOf(env["NODE_PATH"]).map((word) => placesOn(word, cwd)[0]);
  return [
    ...options.flatMap((option) => filesOfOption(option, cwd)),
    ...modulesOf(options, { ...started, globalFolders: [...ofPath, ...globalFolders] }),
    ...opensslParts(options, started),
    ...mappedParts(options, started),
    ...ONE_PATH.flatMap((name) => partsOf(name, [env[name] ?? ""].filter(Boolean), cwd)),
    // A program can ask for one itself (https://nodejs.org/api/module.html#moduleenablecompilecacheoptions).
    ...partsOf("module.enableCompileCache", compileCache === null ? [] : [compileCache], cwd),
    // Node's default, if the program names no folder, as npm does.
    ...partsOf("TMPDIR", [`${temporaryFolderOf(env)}/node-compile-cache`], cwd).map((part) => ({
      ...part,
      what: "compiled code that Node loads from the folder for temporary files",
    })),
    ...SEVERAL_PATHS.flatMap((name) => partsOf(name, wordsOf(env[name]), cwd)),
    ...globalFolders.map((path) => ({ path, what: "a folder in which Node searches for packages" })),
  ];
}

/** The folder of Node's temporary files (https://nodejs.org/api/os.html#ostmpdir). */
export function temporaryFolderOf(env: Started["env"]): string {
  return ["TMPDIR", "TMP", "TEMP"].map((name) => env[name] ?? "").find((folder) => folder !== "") ?? "/tmp";
}

function filesOfOption({ name, value }: NodeOption, cwd: AbsolutePath): readonly InstalledPart[] {
  return FILE_OPTIONS.has(name) && value !== ""
    ? placesOn(value, cwd).map((path) => ({ ...namedBy(name, path), entries: [path] }))
    : [];
}

function modulesOf(
  options: readonly NodeOption[],
  started: Started & Pick<ModuleLookup, "globalFolders">,
): readonly InstalledPart[] {
  const named = options.flatMap(({ name, value }) => {
    const by = MODULE_OPTIONS[name];
    return by === undefined ? [] : [{ name, value, by }];
  });
  const modules = named.flatMap(({ name, value, by }) =>
    placesOfModule(value, { ...started, by }).map((place) => ({ ...place, ...namedBy(name, place.path) })),
  );
  return [...modules, ...(named.some(({ value }) => obeysTypes(value, started)) ? typeParts(started) : [])];
}

/** True if a module lets settings of types decide what is run. In `node_modules` only ts-node does. */
function obeysTypes(module: string, { folder }: Started): boolean {
  return module.includes("ts-node") || !namesOf(folder).includes("node_modules");
}

function typeParts({ env, cwd, program, folder }: Started): readonly InstalledPart[] {
  const named = ["TSX_TSCONFIG_PATH", "TS_NODE_PROJECT"].flatMap((name) => env[name] ?? []);
  const folders = new Set([cwd, folder, ...(program === null ? [] : [parentOf(program)])]);
  return typeSettings(
    [...folders],
    named.map((word) => placesOn(word, cwd)[0]),
  ).map((path) => ({
    path,
    what: "the TypeScript settings of a loader that an option of Node names",
    wayOut: "start cofferdam without that loader",
    isAlone: true,
    entries: [path],
  }));
}

function opensslParts(options: readonly NodeOption[], { env, cwd }: Started): readonly InstalledPart[] {
  const byOptions = options.flatMap(({ name, value }) => (name === "--openssl-config" ? [value] : []));
  return [...byOptions, env["OPENSSL_CONF"] ?? ""]
    .filter((file) => file !== "")
    .flatMap((file) => filesOfOpenssl(placesOn(file, cwd)[0], { env, cwd }))
    .map((path) => ({
      path,
      what: "a file that the OpenSSL settings name",
      wayOut: "set them to paths outside the root",
      entries: [path],
    }));
}

/** The packages that a map gives us. If it can't be read they may lie anywhere. */
function mappedParts(options: readonly NodeOption[], { cwd, folder }: Started): readonly InstalledPart[] {
  const loadsMore = options.some(({ name }) => name in MODULE_OPTIONS);
  return options
    .filter(({ name, value }) => name === PACKAGE_MAP && value !== "")
    .map(({ value }) => placesOn(value, cwd)[0])
    .filter((map) => statsOf(map) !== null)
    .flatMap((map): readonly InstalledPart[] => {
      const places = placesOfMap(map, loadsMore ? null : folder);
      return places === null
        ? [
            {
              ...namedBy(PACKAGE_MAP, ROOT),
              what: `files that Node's option ${PACKAGE_MAP} may load: its map can't be read`,
            },
          ]
        : places.map((path) => ({ ...namedBy(PACKAGE_MAP, path), entries: loadedPart(path).entries }));
    });
}

function namedBy(option: string, path: AbsolutePath): InstalledPart {
  return {
    path,
    what: `a file that Node's option ${option} uses`,
    wayOut: `set ${option} to a path outside the root`,
  };
}

function partsOf(name: string, words: readonly string[], cwd: AbsolutePath): readonly InstalledPart[] {
  const part = { what: `the file that ${name} names`, wayOut: `set ${name} to a path outside the root` };
  return words.flatMap((word) => placesOn(word, cwd)).map((path) => ({ path, ...part, entries: [path] }));
}

function wordsOf(value: string | undefined): readonly string[] {
  return (value ?? "").split(":").filter((word) => word !== "");
}

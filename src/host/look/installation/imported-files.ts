import { readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AbsolutePath,
  isAbsolutePath,
  joinPath,
  nameOf,
  parentOf,
  ROOT,
} from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { importedIn, namesIn } from "./literals.ts";
import { manifestsFor, meantBy, scopeOf } from "./manifest-names.ts";
import { Folders, manifestOf, packageOf, packagePlaces, searchedFolders } from "./packages.ts";
import { pathOfUrl, resolvedBy } from "./resolved.ts";
import { placesOn } from "./way.ts";

/** Maximum of files that are read, and of the size of each: a file loaded ahead of a program imports a few others. */
const MAX_FILES = 256;
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum of quoted texts in all of them that are looked for. */
const MAX_NAMES = 4096;

const MANIFEST = "/package.json";

const ENDINGS = ["", ".js", ".json", ".node", ".ts", ".mjs", ".cjs", MANIFEST, "/index.js", "/index.json"];

/** Files of code, which need no `./` in a URL or in a path that is put together. */
const CODE = /\.(?:[cm]?[jt]sx?|node|wasm)(?:[?#].*)?$/i;
/** The files of Yarn's Plug'n'Play load one another (https://yarnpkg.com/configuration/yarnrc#pnpEnableInlining). */
const OF_A_MAP = [".pnp.cjs", ".pnp.data.json"];

/** A text of a program, and the folder that it lies in. */
export interface ProgramText {
  readonly text: string;
  readonly folder: AbsolutePath;
  /** True for a map of Plug'n'Play: it imports only its own parts, and lists packages that others may load. */
  readonly isMap?: boolean;
}

/**
 * The files that a file outside of `node_modules` imports, and those that these do, as their texts say; and every
 * folder of packages that one of them searches. A quoted text counts as imported if a file is found for it. A name that
 * is put together while the program runs, or that is written with escapes, is not seen.
 */
export function filesImportedBy(file: AbsolutePath): readonly AbsolutePath[] {
  return new Imports().from(textsOf(file));
}

/** The same for a text that lies in no file. */
export function filesImportedByText(text: ProgramText): readonly AbsolutePath[] {
  return new Imports().from([text]);
}

class Imports {
  readonly #folders = new Folders();
  readonly #installed = new Map<AbsolutePath, readonly AbsolutePath[]>();
  readonly #scopes = new Map<AbsolutePath, readonly [scope: AbsolutePath, name: unknown]>();
  #left = MAX_NAMES;

  from(start: readonly ProgramText[]): readonly AbsolutePath[] {
    const found = new Set<AbsolutePath>();
    const ahead = [...start];
    for (const [at, one] of ahead.entries()) {
      if (at > MAX_FILES) break;
      for (const place of this.#placesIn(one)) {
        if (found.has(place)) continue;
        found.add(place);
        const installed = packageOf(place);
        if (installed === null) ahead.push(...textsOf(place));
        else if (isFile(place)) for (const more of this.#placesOfInstalled(installed)) found.add(more);
      }
    }
    return [...found];
  }

  #placesIn({ text, folder, isMap }: ProgramText): readonly AbsolutePath[] {
    if (isMap === true) return OF_A_MAP.flatMap((name) => placesThere(name, folder));
    const imported = importedIn(text);
    const names = [...namesIn(text, this.#left)].filter((name) => !imported.has(name));
    this.#left -= names.length;
    return [
      ...[...imported].flatMap((specifier) => this.#placesOf(specifier, folder, true)),
      ...names.flatMap((name) => this.#placesOf(name, folder, false)),
    ];
  }

  /** Each place that decides the meaning of a specifier. Unless it is a known import, only existing files count. */
  #placesOf(specifier: string, folder: AbsolutePath, isImported: boolean): readonly AbsolutePath[] {
    if (isBuiltin(specifier) || specifier.includes("\0")) return [];
    if (/^(?:\.{0,2}\/|\.{1,2}$|file:)/i.test(specifier))
      return pathsMeant(specifier, folder).flatMap((path) => placesOfPath(path, isImported));
    return specifier.startsWith("#")
      ? this.#placesOfOwnName(specifier, folder, isImported)
      : this.#placesOfPackage(specifier, folder, isImported);
  }

  #placesOfOwnName(name: string, folder: AbsolutePath, isImported: boolean): readonly AbsolutePath[] {
    const [scope] = this.#scopeOf(folder);
    const found = meantBy(name, scope)
      .filter((target) => !target.startsWith("#"))
      .flatMap((target) => this.#placesOf(target, scope, isImported));
    return found.length > 0 || isImported ? [...manifestsFor(folder), ...found] : [];
  }

  /** A package in a searched folder, or the one around the file; or else a file that is written without `./`. */
  #placesOfPackage(specifier: string, folder: AbsolutePath, isImported: boolean): readonly AbsolutePath[] {
    const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    const searched = searchedFolders(folder);
    const [scope, ownName] = this.#scopeOf(folder);
    const packages = [ownName === name ? scope : null, this.#folders.find(name, searched)];
    const files = packages.flatMap((at) =>
      at === null ? [] : this.#filesOf(at, `.${specifier.slice(name.length)}`, resolvedBy(specifier, folder)),
    );
    if (files.length > 0 || isImported) return [...searched, ...manifestsFor(folder), ...files];
    return CODE.test(specifier) ? placesThere(specifier, folder) : [];
  }

  /** A package in `node_modules` counts as a whole, another one by its manifest and the files that may be meant. */
  #filesOf(at: AbsolutePath, name: string, resolved: AbsolutePath | null): readonly AbsolutePath[] {
    const targets = meantBy(name, at).filter((target) => target.startsWith("./"));
    const files = [resolved ?? [], targets.flatMap((target) => pathsMeant(target, at))].flat().filter(isFile);
    if (files.length === 0) return [];
    return packageOf(at) === null
      ? [joinPath(at, "package.json"), ...files.flatMap((path) => placesOn(path, ROOT))]
      : this.#placesOfInstalled(at);
  }

  #scopeOf(folder: AbsolutePath): readonly [scope: AbsolutePath, name: unknown] {
    const known = this.#scopes.get(folder);
    if (known !== undefined) return known;
    const scope = scopeOf(folder);
    const found = [scope, Reflect.get(manifestOf(scope), "name")] as const;
    this.#scopes.set(folder, found);
    return found;
  }

  #placesOfInstalled(folder: AbsolutePath): readonly AbsolutePath[] {
    const places = this.#installed.get(folder) ?? packagePlaces(folder).map(({ path }) => path);
    this.#installed.set(folder, places);
    return places;
  }
}

function placesOfPath(path: string, isImported: boolean): readonly AbsolutePath[] {
  const first = ENDINGS.findIndex((ending) => isFile(`${path}${ending}`));
  // A folder's manifest names another file.
  const end = ENDINGS[first] === MANIFEST ? resolvedBy(path, ROOT) : null;
  if (!isImported && (first < 0 || (ENDINGS[first] === MANIFEST && end === null))) return [];
  const tried = ENDINGS.slice(0, first < 0 ? ENDINGS.length : first + 1).map((ending) => `${path}${ending}`);
  return [...tried, ...(end === null ? [] : [end])]
    .flatMap((place) => placesOn(place, ROOT))
    .filter((place) => statsOf(place)?.isDirectory() !== true);
}

/** A specifier as a path and as a URL: `require` takes the one, `import` and `new URL` the other. */
function pathsMeant(specifier: string, folder: AbsolutePath): readonly string[] {
  const asPath = /^file:/i.test(specifier) ? null : posix.resolve(folder, specifier);
  const url = URL.parse(specifier, pathToFileURL(`${folder}/`));
  const asUrl = url?.protocol === "file:" ? pathOfUrl(url) : null;
  return [...new Set([asPath, asUrl])].filter((path) => path !== null);
}

function placesThere(specifier: string, folder: AbsolutePath): readonly AbsolutePath[] {
  return pathsMeant(specifier, folder).flatMap((path) => (isFile(path) ? placesOn(path, ROOT) : []));
}

function isFile(path: string): boolean {
  return (
    orNull(
      () => isAbsolutePath(path) && statSync(systemPath(path), { throwIfNoEntry: false })?.isFile() === true,
    ) ?? false
  );
}

/** The texts of a file; none for a special file, a manifest, or one that is no text. */
function textsOf(file: AbsolutePath): readonly ProgramText[] {
  const stats = nameOf(file) === "package.json" ? null : statsOf(file);
  if (stats?.isFile() !== true || stats.size === 0 || stats.size > MAX_BYTES) return [];
  try {
    const text = readFileSync(systemPath(file), "utf8");
    const isMap = nameOf(file).startsWith(".pnp.");
    return text.includes("\0") ? [] : [{ text, folder: parentOf(file), isMap }];
  } catch {
    return [];
  }
}

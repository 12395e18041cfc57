import { readFileSync } from "node:fs";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  knownPath,
  namesOf,
  parentOf,
  pathFromBytes,
} from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { searchPathsOf } from "./elf.ts";
import type { InstalledPart } from "./part.ts";
import { placesOn } from "./way.ts";

/** Facts about a process that decide from where its loader takes libraries. */
export interface LoadedProgram {
  /** The program's real path. */
  readonly node: AbsolutePath;
  readonly libraries: readonly AbsolutePath[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
}

const OF_THE_SYSTEM = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix",
  "/gnu",
].map(knownPath);

/**
 * The libraries that are mapped into this process, from proc(5); none on a platform without it. A library is an
 * executable mapping with `.so` in its name: programs map files of other kinds, too.
 */
export function mappedLibraries(): readonly AbsolutePath[] {
  const text = orNull(() => pathFromBytes(readFileSync("/proc/self/maps")));
  if (text === null) return [];
  const found = text.matchAll(/^\S+ ..x. \S+ \S+ \S+ +(\/.*?\.so(?:\.[^/\n]*?)?)(?: \(deleted\))?$/gm);
  return [...new Set([...found].map(([, path = ""]) => path))].filter(isAbsolutePath);
}

/**
 * The folders from which the loader takes libraries of Node's: those of its loaded libraries, and those that Node, or
 * one of them, names (ld.so(8)), missing or not. The system's own folders of libraries are left out.
 */
export function libraryParts(program: LoadedProgram): readonly InstalledPart[] {
  const { node, libraries, env, cwd } = program;
  const own = libraries.filter((path) => !OF_THE_SYSTEM.some((folder) => isInside(path, folder)));
  const ofNode = own.filter((path) => !namesOf(path).includes("node_modules"));
  const written = [node, ...own].flatMap((file) =>
    searchPathsOf(file).flatMap((word) => expanded(word, program, parentOf(file))),
  );
  const searched = [...ofNode.map(parentOf), ...written.flatMap((word) => placesOn(word, cwd))];
  const named = wordsOf(env["LD_LIBRARY_PATH"], /[:;]/)
    .flatMap((word) => expanded(word, program))
    .flatMap((word) => placesOn(word, cwd));
  const preloaded = LISTS.flatMap(([name, between]) =>
    wordsOf(env[name], between)
      // Without a slash the loader searches it in the folders above.
      .filter((word) => word.includes("/"))
      .flatMap((word) => expanded(word, program))
      .flatMap((word) => placesOn(word, cwd))
      .map((path) => partOf(path, name)),
  );
  return [
    ...searched.map((path) => ({ path, what: LIBRARIES, wayOut: OTHER_NODE })),
    ...ofNode.map((path) => ({ path, what: LIBRARIES, wayOut: OTHER_NODE, entries: [path] })),
    ...named.map((path) => partOf(path, "LD_LIBRARY_PATH")),
    ...preloaded,
  ];
}

const LIBRARIES = "the libraries that Node loads";
const OTHER_NODE = "use a Node outside the root";

/** Variables with files, and the separator between two of them. */
const LISTS: readonly (readonly [variable: string, between: RegExp])[] = [
  ["LD_PRELOAD", /[:\s]/],
  ["LD_AUDIT", /:/],
];

function partOf(path: AbsolutePath, variable: string): InstalledPart {
  return {
    path,
    what: `the folder that ${variable} names`,
    wayOut: `set ${variable} to a path outside the root`,
    entries: [path],
  };
}

/** An empty word means the current folder; an empty value means nothing. */
function wordsOf(value: string | undefined, between: RegExp): readonly string[] {
  return value === undefined || value === "" ? [] : value.split(between).map((word) => word || ".");
}

/** A word with the values of `$ORIGIN` and `$LIB`. `$PLATFORM` is unknown: the folder above stands for it. */
function expanded(
  word: string,
  { node, libraries }: LoadedProgram,
  origin: AbsolutePath = parentOf(node),
): readonly string[] {
  const [before = "", after] = word.replace(/\$(?:ORIGIN\b|\{ORIGIN\})/g, () => origin).split(PLATFORM, 2);
  const known = after === undefined ? before : `${before.replace(/[^/]*$/, "")}.`;
  if (!LIB.test(known)) return [known || "."];
  return libOf(libraries).map((lib) => known.replaceAll(new RegExp(LIB, "g"), lib));
}

const PLATFORM = /\$(?:PLATFORM\b|\{PLATFORM\})/;
const LIB = /\$(?:LIB\b|\{LIB\})/;

/** The loader's value of `$LIB` on this system, from the place of its C library; if unknown, all possible values. */
function libOf(libraries: readonly AbsolutePath[]): readonly string[] {
  const found = libraries.flatMap((path) => /^(?:\/usr)?\/(lib.*)\/libc\.so\.6$/.exec(path)?.[1] ?? []);
  return found.length === 0 ? ["lib", "lib64"] : found;
}

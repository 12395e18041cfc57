import { readFileSync } from "node:fs";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  knownPath,
  namesOf,
  parentOf,
  pathFromBytes,
} from "../../profile/path.ts";
import { searchPathsOf } from "./elf.ts";
import type { InstalledPart } from "./part.ts";
import { placesOn } from "./way.ts";

/** What a process needs to be asked from where its loader takes libraries. */
export interface LoadedProgram {
  /** The program's real path. */
  readonly node: AbsolutePath;
  /** Libraries that are mapped into the process. */
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
 * The libraries that are mapped into this process, from proc(5); none on a platform without it. A library is what may be
 * executed and has `.so` in its name: programs map files of other kinds, too.
 */
export function mappedLibraries(): readonly AbsolutePath[] {
  let text: string;
  try {
    text = pathFromBytes(readFileSync("/proc/self/maps"));
  } catch {
    return [];
  }
  const found = text.matchAll(/^\S+ ..x. \S+ \S+ \S+ +(\/.*?\.so(?:\.[^/\n]*?)?)(?: \(deleted\))?$/gm);
  return [...new Set([...found].map(([, path = ""]) => path))].filter(isAbsolutePath);
}

/**
 * The folders from which the loader takes libraries of Node's: those in which the ones that it took lie, and those that Node,
 * or one of them, names (ld.so(8)), missing or not. What lies in the system's folders of libraries is left out.
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
      // Without a slash it is searched for in the folders above.
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
const OTHER_NODE = "use a Node that lies outside of the root";

/** Files, and what stands between two of them. */
const LISTS: readonly (readonly [variable: string, between: RegExp])[] = [
  ["LD_PRELOAD", /[:\s]/],
  ["LD_AUDIT", /:/],
];

function partOf(path: AbsolutePath, variable: string): InstalledPart {
  return {
    path,
    what: `what ${variable} names`,
    wayOut: `let ${variable} name what lies outside of the root`,
    entries: [path],
  };
}

/** An empty word means the current folder; an empty value means nothing. */
function wordsOf(value: string | undefined, between: RegExp): readonly string[] {
  return value === undefined || value === "" ? [] : value.split(between).map((word) => word || ".");
}

/**
 * A word with what the loader puts for `$ORIGIN` and `$LIB`. Which processor it puts for `$PLATFORM` is not told, so that stands
 * for the folder above.
 */
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

/** What this system's loader puts for `$LIB`, as the place of its C library tells; where that is not known, what it may be. */
function libOf(libraries: readonly AbsolutePath[]): readonly string[] {
  const found = libraries.flatMap((path) => /^(?:\/usr)?\/(lib.*)\/libc\.so\.6$/.exec(path)?.[1] ?? []);
  return found.length === 0 ? ["lib", "lib64"] : found;
}

import type { ExecutedNames } from "./executed.ts";
import { type AbsolutePath, isInside, namesBelow, namesOf } from "./path.ts";
import type { Pattern } from "./pattern.ts";

/** Folders of installed packages, with thousands of files that hosts execute. Only unambiguous names are listed. */
export const DEPENDENCY_TREES: Readonly<Record<string, string>> = {
  node_modules: "packages of npm, pnpm, Yarn and Bun",
  "site-packages": "packages of pip",
  "dist-packages": "packages of Debian's Python",
};

/** Folders that tools fill and empty as a whole. A file there that hosts execute must not prevent removal. */
export const BUILD_TREES: Readonly<Record<string, string>> = {
  ".angular": "cache of the Angular CLI",
  ".dart_tool": "state of Dart's package manager",
  ".eggs": "packages of setuptools",
  ".gradle": "cache of Gradle",
  ".next": "output of Next.js",
  ".nox": "environments of Nox",
  ".nuxt": "output of Nuxt",
  ".output": "output of Nitro",
  ".pnpm-store": "store of pnpm",
  ".stack-work": "output of Stack",
  ".svelte-kit": "output of SvelteKit",
  ".terraform": "plugins and modules of Terraform",
  ".tox": "environments of tox",
  ".venv": "environment of Python",
  Carthage: "packages of Carthage",
  Pods: "packages of CocoaPods",
  __pypackages__: "packages of PDM",
  _build: "output of Mix, Dune and Sphinx",
  bower_components: "packages of Bower",
  build: "output of Gradle, CMake, setuptools and others",
  deps: "packages of Mix and Rebar",
  dist: "output of bundlers and of Python's build",
  "dist-newstyle": "output of Cabal",
  obj: "output of MSBuild",
  out: "output of compilers and static sites",
  target: "output of Cargo and Maven",
  vendor: "packages of Composer, Bundler, Go and Cargo",
  venv: "environment of Python",
};

const names = (trees: Readonly<Record<string, string>>): string =>
  Object.keys(trees)
    .map((name) => name.replaceAll(".", "\\."))
    .join("|");

const TREE_NAMES = `${names(DEPENDENCY_TREES)}|${names(BUILD_TREES)}`;

const IN_DEPENDENCIES = new RegExp(`/(?:${names(DEPENDENCY_TREES)})/`);
const IN_ANY_TREE = new RegExp(`/(?:${TREE_NAMES})/`);

const TREE_IN_PATTERN = new RegExp(`/(?:${TREE_NAMES})(?:/|$)`);

/** True for a pattern with such a name in it (`node_modules/.bin/sh`): it is about such trees, and holds there. */
export function isNamedByTree({ text }: Pick<Pattern, "text">): boolean {
  return TREE_IN_PATTERN.test(text);
}

/** True for the name of a folder of installed packages. */
export function isTree(name: string): boolean {
  return Object.hasOwn(DEPENDENCY_TREES, name);
}

/** True for such a folder and paths below it, in the writable `root`, whose own name does not count. */
export function isInTree(path: AbsolutePath, root: AbsolutePath): boolean {
  return IN_DEPENDENCIES.test(`/${namesBelow(path, root).join("/")}/`);
}

/**
 * True for paths below a folder of installed packages, in the nearest of these roots. A tree that the row names itself
 * does not count, such as that of `node_modules/.bin`.
 */
export function isInDependencyTree(
  path: AbsolutePath,
  { pattern }: Pick<ExecutedNames, "pattern">,
  roots: readonly AbsolutePath[],
): boolean {
  const { segments } = pattern;
  const own = segments.length - 1 - segments.findLastIndex(({ kind }) => kind === "any-names");
  const names = namesInNearest(path, roots);
  return IN_DEPENDENCIES.test(`/${names.slice(0, Math.max(0, names.length - own)).join("/")}/`);
}

/**
 * True for paths below a dependency or build tree, in the nearest of these roots; outside of all roots, anywhere. A
 * root's own name does not count: people keep projects in folders named `build` or `vendor`.
 */
export function isBelowTree(path: AbsolutePath, roots: readonly AbsolutePath[]): boolean {
  if (!IN_ANY_TREE.test(path)) return false;
  return IN_ANY_TREE.test(`/${namesInNearest(path, roots).slice(0, -1).join("/")}/`);
}

function namesInNearest(path: AbsolutePath, roots: readonly AbsolutePath[]): readonly string[] {
  let nearest: AbsolutePath | null = null;
  for (const root of roots)
    if (isInside(path, root) && (nearest === null || root.length > nearest.length)) nearest = root;
  return nearest === null ? namesOf(path) : namesBelow(path, nearest);
}

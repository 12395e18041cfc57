import type { ExecutedNames } from "./executed.ts";
import { type AbsolutePath, isInside, namesBelow, namesOf } from "./path.ts";

/**
 * Folders of packages that were installed, and of what is made from them, each with the reason why nobody starts programs in
 * them: a name that hosts execute comes there with thousands of other files. Only names that mean nothing else are listed.
 */
export const DEPENDENCY_TREES: Readonly<Record<string, string>> = {
  node_modules: "packages of npm, pnpm, Yarn and Bun",
  "site-packages": "packages of pip",
  "dist-packages": "packages of Debian's Python",
};

const IN_A_TREE = new RegExp(`/(?:${Object.keys(DEPENDENCY_TREES).join("|")})/`);

/** True for the name of such a folder. */
export function isTree(name: string): boolean {
  return Object.hasOwn(DEPENDENCY_TREES, name);
}

/** True for such a folder and what lies below it, in a folder that calls may write; what that one is called says nothing. */
export function isInTree(path: AbsolutePath, root: AbsolutePath): boolean {
  return IN_A_TREE.test(`/${namesBelow(path, root).join("/")}/`);
}

/**
 * True for what lies below a folder of installed packages, in the nearest of these roots. One that the row names itself does not
 * count, as that of `node_modules/.bin`.
 */
export function isInDependencyTree(
  path: AbsolutePath,
  { pattern }: Pick<ExecutedNames, "pattern">,
  roots: readonly AbsolutePath[],
): boolean {
  const { segments } = pattern;
  const own = segments.length - 1 - segments.findLastIndex(({ kind }) => kind === "any-names");
  const around = roots.filter((root) => isInside(path, root)).sort((a, b) => b.length - a.length);
  const [root] = around;
  const names = root === undefined ? namesOf(path) : namesBelow(path, root);
  return IN_A_TREE.test(`/${names.slice(0, Math.max(0, names.length - own)).join("/")}/`);
}

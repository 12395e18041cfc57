import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type InstalledPart, wayOutOf } from "../host/installation/part.ts";
import { type Installation, withCopiesIn } from "../host/installation.ts";
import { statsOf } from "../host/nodes.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { INSTALLATION_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside, joinPath, nameOf, ROOT } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN } from "../profile/profile.ts";
import type { Root } from "../tool/facts.ts";

/**
 * Folders of `node_modules` in which build tools keep what they could make again, each with packages that make it: Vite and those
 * built on it, Babel, ESLint, webpack (https://vite.dev/config/shared-options#cachedir,
 * https://github.com/sindresorhus/find-cache-dir). No package can have such a name
 * (https://docs.npmjs.com/cli/configuring-npm/package-json#name), so nothing of ours is found there by its name. Other programs do run
 * code that they keep there, as jiti does from `.cache/jiti`: such a program trusts whoever can write in the project.
 */
const CACHES: Readonly<Record<string, readonly string[]>> = {
  ".cache": ["eslint", "find-cache-dir", "webpack"],
  ".vite": ["vite", "vitest"],
  ".vite-temp": ["vite", "vitest"],
};

/** The product's installation, with the copies of it in roots that tools may write. */
export function installationFor(host: Host, roots: readonly Root[]): Installation {
  const writable = roots.filter(({ mode }) => mode === "rw").map(({ path }) => path);
  return withCopiesIn(host.installation(), writable);
}

/** The parts of an installation that lie in a root that tools may write, each with the root. */
export function partsInRoots(
  { parts }: Pick<Installation, "parts">,
  roots: readonly Root[],
): readonly { readonly part: InstalledPart; readonly root: Root }[] {
  return parts.flatMap((part) => {
    const root = roots.find(
      ({ path, mode }) => mode === "rw" && part.path !== path && isInside(part.path, path),
    );
    return root === undefined ? [] : [{ part, root }];
  });
}

/**
 * A layer of the ceiling in which every part of the installation may only be read, and none that is missing may be made, and commands
 * may only be read that PATH finds in any folder; null where there is nothing of this in a root. Caches of build tools in `node_modules` may be written, but for one in which something lies that
 * is loaded: a file that an option of Node names, or a copy of the product.
 */
export function installationLayer(
  installation: Pick<Installation, "parts" | "places" | "commands">,
  roots: readonly Root[],
): Layer | null {
  const held = partsInRoots(installation, roots).map(({ part }) => part);
  const commands = roots.some(({ mode }) => mode === "rw") ? installation.commands : [];
  if (held.length === 0 && commands.length === 0) return null;
  const isPackages = ({ path }: InstalledPart): boolean =>
    nameOf(path) === "node_modules" && statsOf(path)?.isDirectory() === true;
  const everything: FileEntry = { path: ROOT, access: "write", suffixes: "any" };
  const files = held
    .filter(isPackages)
    .flatMap(({ path }): readonly FileEntry[] => [
      { path, access: "read", suffixes: "any" },
      ...cachesIn(path, installation.places).map(
        (cache): FileEntry => ({ path: cache, access: "write", suffixes: "any" }),
      ),
    ]);
  const masks = [
    ...held
      .filter((part) => !isPackages(part))
      .map(({ path }): Mask => ({ pattern: literalPattern(path), atMost: "read", ignoreCase: false })),
    ...commands.map((pattern): Mask => ({ pattern, atMost: "read", ignoreCase: true })),
  ];
  const told = (tell: (part: Told) => string): ReadonlyMap<string, string> =>
    new Map([
      ...held.flatMap((part): readonly [string, string][] => [
        [entryKey(part.path), tell(part)],
        [maskKey({ pattern: literalPattern(part.path) }), tell(part)],
      ]),
      ...commands.map((pattern): [string, string] => [
        maskKey({ pattern }),
        tell({ ...COMMAND, path: pattern.text }),
      ]),
    ]);
  return {
    name: INSTALLATION_LAYER,
    profile: normalProfile({ ...OPEN, files: [everything, ...files], masks }),
    sources: new Map(),
    reasons: told(({ path, what }) => `${visible(path)} may only be read: tools must not change ${what}`),
    remedies: told((part) => `do it outside of the sandbox, or ${wayOutOf(part)}`),
  };
}

/** What is told of a part, or of a command that a pattern names. */
interface Told extends Pick<InstalledPart, "what" | "wayOut"> {
  readonly path: string;
}

const COMMAND = {
  what: "a command that PATH finds as cofferdam, or before it, in whatever folder a shell stands",
  wayOut: "write absolute folders in PATH",
};

/**
 * Those that are folders. One that is missing can be made where a package is installed that makes it, and only there: each call
 * holds its place meanwhile, which takes milliseconds.
 */
function cachesIn(packages: AbsolutePath, places: Installation["places"]): readonly AbsolutePath[] {
  return Object.entries(CACHES).flatMap(([name, makers]) => {
    const path = joinPath(packages, name);
    if (places.some((place) => isInside(place, path))) return [];
    const isPlace = statsOf(path)?.isDirectory() ?? makers.some((maker) => isInstalled(maker, packages));
    return isPlace ? [path] : [];
  });
}

/** By itself, or for others: those pnpm has elsewhere (https://pnpm.io/symlinked-node-modules-structure). */
function isInstalled(name: string, packages: AbsolutePath): boolean {
  return [name, `.pnpm/node_modules/${name}`].some((at) => statsOf(joinPath(packages, at)) !== null);
}

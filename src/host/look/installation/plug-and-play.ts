import Module from "node:module";
import { type AbsolutePath, absolutePath, knownPath } from "../../../profile/path.ts";
import { namesOfDependencies, ONLY_IN_TESTS } from "./packages.ts";

/** The parts of Yarn's Plug'n'Play, which finds packages by a map, for a package and all that this may load. */
export interface PlugAndPlay {
  readonly map: AbsolutePath;
  /** Places of packages: folders, and archives; the package itself first. */
  readonly packages: readonly AbsolutePath[];
  /** Folders of packages from the map in which Node looks for more as it does without a map. */
  readonly unmapped: readonly AbsolutePath[];
}

/** The used part of https://yarnpkg.com/advanced/pnpapi. */
interface Api {
  findPackageLocator(location: string): object | null;
  getPackageInformation(locator: object): Information;
  resolveRequest(request: string, issuer: string): string | null;
  resolveVirtual?(path: string): string | null;
}

interface Information {
  readonly packageLocation: string;
  readonly packageDependencies: ReadonlyMap<string, string | readonly [string, string] | null>;
}

/** The map that decides what a package's folder loads; null if there is none, as for one outside of the project. */
export function plugAndPlayOf(folder: AbsolutePath): PlugAndPlay | null {
  const find: unknown = Reflect.get(Module, "findPnpApi");
  const api: unknown = typeof find === "function" ? Reflect.apply(find, Module, [`${folder}/`]) : null;
  const map = isApi(api) ? api.resolveRequest("pnpapi", `${folder}/`) : null;
  return isApi(api) && map !== null ? { map: knownPath(map), ...packagesBy(api, `${folder}/`) } : null;
}

/** A package added by `link:` has no place in the map: it finds what the package around it finds, or what Node does. */
function packagesBy(api: Api, location: string): Pick<PlugAndPlay, "packages" | "unmapped"> {
  const locations = new Set([location]);
  const packages = new Set<AbsolutePath>();
  const unmapped: AbsolutePath[] = [];
  for (const at of locations) {
    const real = realPlace(api, at);
    packages.add(real);
    const owner = api.findPackageLocator(at);
    if (owner === null) {
      unmapped.push(real);
      continue;
    }
    const { packageLocation, packageDependencies } = api.getPackageInformation(owner);
    const names = packageLocation === at ? packageDependencies.keys() : namesOfDependencies(real);
    for (const name of names) {
      const reference = packageDependencies.get(name) ?? null;
      if (reference === null || ONLY_IN_TESTS.has(name)) continue;
      locations.add(api.getPackageInformation(locatorOf(name, reference)).packageLocation);
    }
  }
  return { packages: [...packages], unmapped };
}

/** A package under another name is written as a pair. */
function locatorOf(name: string, reference: string | readonly [string, string]): object {
  const [own, at] = typeof reference === "string" ? [name, reference] : reference;
  return { name: own, reference: at };
}

/** Packages that have peers are named by paths that do not exist, and most lie in archives. */
function realPlace(api: Api, location: string): AbsolutePath {
  const path = (api.resolveVirtual?.(location) ?? location).replace(/\/+$/, "");
  return absolutePath(/^.*?\.zip(?=\/)/.exec(path)?.[0] ?? path);
}

function isApi(value: unknown): value is Api {
  if (typeof value !== "object" || value === null) return false;
  const names = ["findPackageLocator", "getPackageInformation", "resolveRequest"];
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}

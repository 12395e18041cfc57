import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { type AbsolutePath, isInside, ROOT } from "../../../profile/path.ts";
import { readPlainText } from "../plain-file.ts";
import { placesOn } from "./way.ts";

/** A larger map is not read. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The fields of a map that are used (https://nodejs.org/api/packages.html#package-maps). */
const PackageMap = z.object({
  packages: z.record(
    z.string(),
    z.object({ url: z.string(), dependencies: z.record(z.string(), z.string()).nullish() }),
  ),
});

interface MappedPackage {
  /** The places by which its folder is found, the folder first. */
  readonly places: readonly [AbsolutePath, ...AbsolutePath[]];
  readonly dependencies: readonly string[];
}

/**
 * The places of the packages that code in a folder may load by a map: those that its package lists, and those that
 * these list; all of the map if no folder is given, or none of its packages holds it. Null if the map can't be read.
 */
export function placesOfMap(map: AbsolutePath, folder: AbsolutePath | null): readonly AbsolutePath[] | null {
  const packages = packagesOf(map);
  if (packages === null) return null;
  const own = folder === null ? null : packageAround(folder, packages);
  const keys = new Set(own?.dependencies ?? packages.keys());
  for (const key of keys) for (const next of packages.get(key)?.dependencies ?? []) keys.add(next);
  return [...keys].flatMap((key) => packages.get(key)?.places ?? []);
}

function packagesOf(map: AbsolutePath): ReadonlyMap<string, MappedPackage> | null {
  try {
    const text = readPlainText(map, MAX_BYTES);
    if (text === null) return null;
    const { packages } = PackageMap.parse(JSON.parse(text));
    return new Map(
      Object.entries(packages).map(([key, { url, dependencies }]): [string, MappedPackage] => [
        key,
        {
          places: placesOn(fileURLToPath(new URL(url, pathToFileURL(map))), ROOT),
          dependencies: Object.values(dependencies ?? {}),
        },
      ]),
    );
  } catch {
    return null;
  }
}

/** The package of a file is the nearest one above it. */
function packageAround(
  folder: AbsolutePath,
  packages: ReadonlyMap<string, MappedPackage>,
): MappedPackage | null {
  const around = [...packages.values()].filter(({ places: [at] }) => isInside(folder, at));
  return around.toSorted((one, other) => other.places[0].length - one.places[0].length)[0] ?? null;
}

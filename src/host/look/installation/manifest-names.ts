import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { manifestOf } from "./packages.ts";
import { upToFirst } from "./way.ts";

/** The nearest folder with a manifest; the folder itself if there is none. */
export function scopeOf(folder: AbsolutePath): AbsolutePath {
  const above = upToFirst(folder, hasManifest).at(-1) ?? folder;
  return hasManifest(above) ? above : folder;
}

/** The manifest that defines the meaning of names in a folder, and each place where a nearer one would be found. */
export function manifestsFor(folder: AbsolutePath): readonly AbsolutePath[] {
  return upToFirst(folder, hasManifest).map((at) => joinPath(at, "package.json"));
}

function hasManifest(folder: AbsolutePath): boolean {
  return statsOf(joinPath(folder, "package.json")) !== null;
}

/**
 * The targets in a folder's manifest of a name of its own (`#x`), or of a name that the package exports (`.`, `./x`),
 * under any conditions (https://nodejs.org/api/packages.html#conditional-exports).
 */
export function meantBy(name: string, folder: AbsolutePath): readonly string[] {
  const manifest = manifestOf(folder);
  const said: unknown = Reflect.get(manifest, name.startsWith("#") ? "imports" : "exports");
  const byName = typeof said === "object" && said !== null ? Object.entries(said) : [];
  if (!byName.some(([key]) => key.startsWith(".") || key.startsWith("#")))
    return name === "." ? textsIn(said) : [];
  return byName.flatMap(([key, value]) => {
    const [before = "", after] = key.split("*", 2);
    if (after === undefined) return key === name ? textsIn(value) : [];
    const isMeant =
      name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    const part = name.slice(before.length, name.length - after.length);
    return isMeant ? textsIn(value).map((text) => text.replaceAll("*", () => part)) : [];
  });
}

function textsIn(value: unknown): readonly string[] {
  const ahead = [value];
  for (const one of ahead)
    if (typeof one === "object" && one !== null) for (const below of Object.values(one)) ahead.push(below);
  return ahead.filter((one) => typeof one === "string");
}

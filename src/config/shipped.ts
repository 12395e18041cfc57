import { readdirSync, readFileSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { PROTECTED_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, absolutePath, joinPath } from "../profile/path.ts";
import { nearest } from "./nearest.ts";
import type { Naming, ReadFile } from "./safe-file.ts";

/** The profile that is part of every ceiling. */
export const PROTECTED = PROTECTED_LAYER;

/** The package's `profiles/`: beside `src/` as beside `dist/`, two folders above this file. */
export function shippedFolder(): AbsolutePath {
  return absolutePath(import.meta.dirname.replace(/\/[^/]+\/[^/]+$/, "/profiles"));
}

/** The names of the shipped profiles, in order. Throws `PROFILE_INVALID` where the package lacks its folder. */
export function shippedNames(): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(shippedFolder());
  } catch (cause) {
    throw new CofferdamError("PROFILE_INVALID", "the shipped profiles are missing from the package", {
      hint: "install cofferdam again",
      cause,
    });
  }
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length))
    .sort();
}

/** True for what names a shipped profile: a bare word. A path has a slash in it or ends in `.yaml`. */
export function isShippedName(text: string): boolean {
  return !/[/\0]|\.ya?ml$/.test(text);
}

/**
 * A shipped profile by its name. It is as trusted as the code beside it, so who may write it is not looked at.
 * Throws the code of what names it for a name that is not shipped.
 */
export function readShipped(name: string, naming: Naming): ReadFile {
  const known = shippedNames();
  if (known.includes(name)) {
    const path = joinPath(shippedFolder(), `${name}.yaml`);
    return { path, bytes: readFileSync(path), uid: 0 };
  }
  const near = nearest(name, known);
  const guess = near === null ? `shipped are ${known.join(", ")}` : `did you mean \`${near}\`?`;
  throw new CofferdamError(naming.by, `there is no shipped profile ${visible(name)}`, {
    hint: `${guess} (a path has a \`/\` in it or ends in \`.yaml\`)`,
    ...(naming.at === null ? {} : { at: naming.at }),
  });
}

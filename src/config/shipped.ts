import { readdirSync, readFileSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { nearest } from "../policy/nearest.ts";
import { PROTECTED_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, absolutePath, joinPath } from "../profile/path.ts";
import type { Naming, ReadFile } from "./safe-file.ts";

/** The profile that is part of every ceiling. */
export const PROTECTED = PROTECTED_LAYER;

/** The package's `profiles/`: beside `src/` and beside `dist/`, two folders above this file. */
export function shippedFolder(): AbsolutePath {
  return absolutePath(import.meta.dirname.replace(/\/[^/]+\/[^/]+$/, "/profiles"));
}

/** The names of the shipped profiles, in order. Throws `PROFILE_INVALID` if the package lacks its folder. */
export function shippedNames(): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(shippedFolder());
  } catch (cause) {
    throw new CofferdamError("PROFILE_INVALID", "the package has no folder of shipped profiles", {
      hint: "install cofferdam again",
      cause,
    });
  }
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length))
    .sort();
}

/** True for the name of a shipped profile: a bare word. A path has a slash in it or ends in `.yaml`. */
export function isShippedName(text: string): boolean {
  return !/[/\0]|\.ya?ml$/.test(text);
}

/** A shipped profile, trusted as the code beside it: no permissions are checked. Throws the naming file's code. */
export function readShipped(name: string, naming: Naming): ReadFile {
  const known = shippedNames();
  if (known.includes(name)) {
    const path = joinPath(shippedFolder(), `${name}.yaml`);
    return { path, bytes: readFileSync(path), uid: 0 };
  }
  const near = nearest(name, known);
  const guess = near === null ? `shipped: ${known.join(", ")}` : `write \`${near}\``;
  throw new CofferdamError(naming.by, `no shipped profile is named ${visible(name)}`, {
    hint: `${guess}; name a file by a path with \`/\`, or with its ending \`.yaml\``,
    ...(naming.at === null ? {} : { at: naming.at }),
  });
}

import { readFileSync } from "node:fs";
import { type AbsolutePath, joinPath, parentOf, upwards } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { placesOn, upToFirst } from "./way.ts";

/** Maximum of files: more would extend one another without end. */
const MAX_FILES = 512;

/**
 * The `tsconfig.json` that a loader of TypeScript obeys in these folders, with every nearer one that is missing and
 * every one that these extend (https://www.typescriptlang.org/tsconfig/#extends): its `paths` decide which file an
 * import means, and ts-node takes modules to load from it (https://typestrong.org/ts-node/docs/options).
 */
export function typeSettings(
  folders: readonly AbsolutePath[],
  named: readonly AbsolutePath[],
): readonly AbsolutePath[] {
  const nearest = folders.flatMap((folder) =>
    upToFirst(folder, (at) => statsOf(joinPath(at, "tsconfig.json")) !== null).map((at) =>
      joinPath(at, "tsconfig.json"),
    ),
  );
  const found = new Set<AbsolutePath>();
  const ahead = [...nearest, ...named];
  for (const [at, path] of ahead.entries()) {
    if (at > MAX_FILES) break;
    const [end, ...others] = placesOn(path, parentOf(path));
    if (found.has(end)) continue;
    for (const place of [end, ...others]) found.add(place);
    ahead.push(...extendedBy(end));
  }
  return [...found];
}

/** The files that a settings file extends, by every name that they may have: comments keep it from being plain JSON. */
function extendedBy(file: AbsolutePath): readonly AbsolutePath[] {
  const list = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(textOf(file))?.[1] ?? "";
  const folder = parentOf(file);
  return [...list.matchAll(/"([^"]+)"/g)].flatMap(([, word = ""]) => {
    const isPath = /^(?:\.{0,2}\/|\.{1,2}$)/.test(word);
    const written = isPath ? [word] : [...upwards(folder)].map((at) => `${at}/node_modules/${word}`);
    return written
      .flatMap((one) => [one, `${one}.json`, `${one}/tsconfig.json`])
      .map((one) => placesOn(one, folder)[0]);
  });
}

function textOf(file: AbsolutePath): string {
  return orNull(() => readFileSync(systemPath(file), "utf8")) ?? "";
}

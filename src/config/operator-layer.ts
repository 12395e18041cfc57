import { CofferdamError, escapeInvisible, type Position, withPosition } from "../errors.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { type Example, failedExamples } from "../profile/examples.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN } from "../profile/profile.ts";
import {
  fileEntries,
  masksFrom,
  type PathVariables,
  pathsFrom,
  profileFromSections,
} from "../profile/sections.ts";
import { operatorPath, realPath } from "./operator-path.ts";
import type { ProfileFile } from "./schema.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/**
 * One operator file as a layer of the ceiling, without what it extends. Paths are made real; every clause knows where
 * it stands. Throws `PROFILE_INVALID`, `PATH_INVALID`, `PATTERN_INVALID`, `HOST_INVALID`, each with its position.
 */
export function layerOf(file: ProfileFile, yaml: YamlFile, variables: PathVariables): Layer {
  const sources = new Map<string, Position>();
  for (const section of ["files", "network", "sockets", "env"] as const) {
    if (file[section] !== undefined) sources.set(section, positionAt(yaml, [section]));
  }
  const least = new Map<AbsolutePath, Access>();
  const files = file.files?.flatMap((entry, index) => {
    const entries = placed(yaml, ["files", index, "path"], () =>
      fileEntries(entry, variables).map((one): FileEntry => ({ ...one, path: operatorPath(one.path) })),
    );
    for (const { path, access } of entries) {
      // Of two entries for one path the lesser decides, so its place is the one to name.
      const known = least.get(path);
      if (known !== undefined && !isAtMost(access, known)) continue;
      least.set(path, access);
      sources.set(entryKey(path), positionAt(yaml, ["files", index]));
    }
    return entries;
  });
  const masks = file.masks?.flatMap((mask, index) => {
    const found = placed(yaml, ["masks", index, "pattern"], () =>
      masksFrom(mask, variables).flatMap(withRealTwin),
    );
    for (const one of found) sources.set(maskKey(one), positionAt(yaml, ["masks", index]));
    return found;
  });
  const rest = profileFromSections(
    { network: checkedNetwork(file, yaml), env: file.env, terminal: file.terminal, limits: file.limits },
    variables,
  );
  return {
    name: file.profile,
    profile: normalProfile({
      ...rest,
      files: files ?? OPEN.files,
      masks: masks ?? [],
      sockets: socketsOf(file, yaml, variables),
    }),
    sources,
  };
}

/**
 * Holds a file's `expect` lines against its layer, which must include what the file extends. Throws `PROFILE_INVALID`
 * at the first example that fails, for whichever path its variables stand for.
 */
export function assertExamples(
  layer: Layer,
  examples: readonly Example[],
  yaml: YamlFile,
  variables: PathVariables,
): void {
  const failed = examples.flatMap((example, index) => {
    const messages = placed(yaml, ["expect", index], () => failuresOf(layer, example, variables));
    return messages.map((message) => ({ index, message }));
  });
  const [first] = failed;
  if (first === undefined) return;
  const more = failed.length === 1 ? "" : `, and ${failed.length - 1} more`;
  throw new CofferdamError("PROFILE_INVALID", `an example fails: ${escapeInvisible(first.message)}${more}`, {
    hint: "change the section that decides, or the example",
    at: positionAt(yaml, ["expect", first.index]),
  });
}

/** Runs `read`; an error of it that has no position yet gets that of the value at the path. */
export function placed<Value>(yaml: YamlFile, path: YamlPath, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof CofferdamError ? withPosition(error, positionAt(yaml, path, "value")) : error;
  }
}

/** A literal mask, and the same for where its path really lies: adding a mask never adds access. */
function withRealTwin(mask: Mask): readonly Mask[] {
  const { literal } = mask.pattern;
  const real = literal === null ? null : realPath(literal);
  return real === null || real === literal ? [mask] : [mask, { ...mask, pattern: literalPattern(real) }];
}

function checkedNetwork(file: ProfileFile, yaml: YamlFile): ProfileFile["network"] {
  const { network } = file;
  if (typeof network !== "object") return network;
  for (const list of ["hosts", "never"] as const) {
    for (const [index, rule] of network[list].entries())
      placed(yaml, ["network", list, index], () => parseHostRule(rule));
  }
  return network;
}

function socketsOf(
  file: ProfileFile,
  yaml: YamlFile,
  variables: PathVariables,
): "any" | readonly AbsolutePath[] {
  if (file.sockets === undefined || file.sockets === "any") return "any";
  return file.sockets.flatMap((path, index) =>
    placed(yaml, ["sockets", index], () => pathsFrom(path, variables).map(operatorPath)),
  );
}

/**
 * Why an example fails, if it does. A path that leads through symlinks is allowed what its real path is allowed, as far
 * as no mask caps the way that is written: what a mask matches stays masked wherever it leads.
 */
function failuresOf(layer: Layer, example: Example, variables: PathVariables): readonly string[] {
  const key = "path" in example ? "path" : "socket" in example ? "socket" : null;
  if (key === null) return messagesOf(layer, example, variables);
  const text = "path" in example ? example.path : "socket" in example ? example.socket : "";
  const asked = { ...example, [key]: text.endsWith("/") ? "${path}/" : "${path}" };
  const onlyMasks: Layer = { ...layer, profile: { ...layer.profile, files: OPEN.files, sockets: "any" } };
  return pathsFrom(text, variables).flatMap((written) => {
    const real = realPath(written);
    const atEnd = messagesOf(layer, asked, { path: [real] });
    if (real === written) return atEnd;
    const onTheWay = messagesOf(onlyMasks, asked, { path: [written] });
    if ("allow" in example) return [...atEnd, ...onTheWay];
    return atEnd.length === 0 || onTheWay.length === 0 ? [] : atEnd;
  });
}

function messagesOf(layer: Layer, example: Example, variables: PathVariables): readonly string[] {
  return failedExamples(layer, [example], variables).map(({ message }) => message);
}

import { CofferdamError, escapeInvisible, type Position, withPosition } from "../errors.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { type Example, failedExamples } from "../profile/examples.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { type MaskFinder, maskIndex } from "../profile/mask-index.ts";
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
import type { Sockets } from "../profile/sockets.ts";
import type { ExecutedTable } from "./executed-table.ts";
import { linksOn, operatorPath, type PathWalk, realPath, realPattern } from "./operator-path.ts";
import { walk } from "./safe-file.ts";
import type { ProfileFile } from "./schema.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/** Maximum of patterns from the masks of one file, with all alternatives and variables. */
const MAX_MASKS = 20_000;

/**
 * One operator file as a layer of the ceiling, without the files it extends. Paths are made real; every clause has its
 * position; `table` is the separate file of a shipped profile. Throws `PROFILE_INVALID`, `PATH_INVALID`,
 * `PATTERN_INVALID`, `HOST_INVALID`, each with its position.
 */
export function layerOf(
  file: ProfileFile,
  yaml: YamlFile,
  variables: PathVariables,
  follow: PathWalk = walk,
  table: Pick<ExecutedTable, "masks" | "sources"> | null = null,
): Layer {
  const sources = new Map<string, Position>(table?.sources);
  for (const section of [
    "files",
    "network",
    "sockets",
    "env",
    "syscalls",
    "devices",
    "macos",
    "ports",
  ] as const) {
    if (file[section] !== undefined) sources.set(section, positionAt(yaml, [section]));
  }
  const least = new Map<AbsolutePath, Access>();
  const files = file.files?.flatMap((entry, index) => {
    const entries = placed(yaml, ["files", index, "path"], () =>
      fileEntries(entry, variables).map(
        (one): FileEntry => ({ ...one, path: operatorPath(one.path, follow) }),
      ),
    );
    for (const { path, access } of entries) {
      // The lesser of two entries for one path decides, so its position is reported.
      const known = least.get(path);
      if (known !== undefined && !isAtMost(access, known)) continue;
      least.set(path, access);
      sources.set(entryKey(path), positionAt(yaml, ["files", index]));
    }
    return entries;
  });
  let count = 0;
  const masks = writtenMasks(file).flatMap(({ mask, row, key }) => {
    const found = placed(yaml, [...row, key], () => {
      const meant = masksFrom(mask, variables);
      count += meant.length;
      if (count <= MAX_MASKS) return meant.flatMap((one) => withRealPath(one, follow));
      throw new CofferdamError("PROFILE_INVALID", `the masks expand to more than ${MAX_MASKS} patterns`, {
        hint: "write fewer alternatives in `{a,b}`",
      });
    });
    for (const one of found) sources.set(maskKey(one), positionAt(yaml, row));
    return found;
  });
  const rest = profileFromSections(
    {
      network: checkedNetwork(file, yaml),
      env: file.env,
      terminal: file.terminal,
      syscalls: file.syscalls,
      devices: file.devices,
      macos: file.macos,
      ports: file.ports,
      limits: file.limits,
    },
    variables,
  );
  return {
    name: file.profile,
    profile: normalProfile({
      ...rest,
      files: files ?? OPEN.files,
      masks: [...masks, ...(table?.masks ?? [])],
      sockets: socketsOf(file, yaml, variables, follow),
    }),
    sources,
  };
}

interface WrittenMask {
  readonly mask: NonNullable<ProfileFile["masks"]>[number];
  readonly row: YamlPath;
  readonly key: "pattern" | "names";
}

/** The masks of a file: files that hosts execute automatically can't be changed if they exist. */
function writtenMasks({ masks = [], executed = [] }: ProfileFile): readonly WrittenMask[] {
  return [
    ...masks.map((mask, index): WrittenMask => ({ mask, row: ["masks", index], key: "pattern" })),
    ...executed.flatMap(({ names, runs }, index): readonly WrittenMask[] => {
      if (runs !== "unasked") return [];
      const mask = { pattern: names, at_most: "read", ignore_case: true } as const;
      return [{ mask, row: ["executed", index], key: "names" }];
    }),
  ];
}

/** A denying example's path through symlinks means its target or, in profiles for unknown machines, itself. */
export type Meant = "place" | "way";

/** The meaning of paths in examples. */
export interface ExamplesAt {
  readonly variables: PathVariables;
  readonly meant: Meant;
  readonly follow: PathWalk;
}

/** Checks `expect` lines; the layer must include extended files. Throws `PROFILE_INVALID` at the first failure. */
export function assertExamples(
  layer: Layer,
  examples: readonly Example[],
  yaml: YamlFile,
  { variables, meant, follow }: ExamplesAt,
): void {
  const onlyMasks: Layer = { ...layer, profile: { ...layer.profile, files: OPEN.files, sockets: "any" } };
  const find = maskIndex(layer.profile.masks);
  const failed = examples.flatMap((example, index) => {
    const messages = placed(yaml, ["expect", index], () =>
      failuresOf({ layer, onlyMasks, find, meant, follow }, example, variables),
    );
    return messages.map((message) => ({ index, message }));
  });
  const [first] = failed;
  if (first === undefined) return;
  const more = failed.length === 1 ? "" : `, and ${failed.length - 1} more`;
  throw new CofferdamError("PROFILE_INVALID", `an example fails: ${escapeInvisible(first.message)}${more}`, {
    hint: "change the section that decides it, or the example",
    at: positionAt(yaml, ["expect", first.index]),
  });
}

/** Runs `read`; an error without a position gets that of the value at the path. */
export function placed<Value>(yaml: YamlFile, path: YamlPath, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof CofferdamError ? withPosition(error, positionAt(yaml, path, "value")) : error;
  }
}

/** A mask and the same by real paths, which searches and mounts use. Links stay unchanged, or paths lead elsewhere later. */
function withRealPath(mask: Mask, follow: PathWalk): readonly Mask[] {
  const { literal } = mask.pattern;
  const real = realPattern(mask.pattern, follow);
  if (real === null) return [mask];
  const links = literal === null ? [] : linksOn(literal, follow).filter((link) => link !== literal);
  const kept = links.map((link): Mask => ({ ...mask, pattern: literalPattern(link), atMost: "read" }));
  return [mask, { ...mask, pattern: real }, ...kept];
}

function checkedNetwork(file: ProfileFile, yaml: YamlFile): ProfileFile["network"] {
  const { network } = file;
  if (typeof network !== "object") return network;
  for (const list of ["hosts", "never"] as const) {
    for (const [index, rule] of network[list].entries())
      placed(yaml, ["network", list, index], () => parseHostRule(rule));
  }
  if (typeof network.proxy === "object" && network.proxy.hasCredentials)
    throw new CofferdamError("PROFILE_INVALID", "the proxy URL of an operator profile has credentials", {
      hint: "remove them from the URL, because other users can read the profile; a config may say `proxy: environment`",
      at: positionAt(yaml, ["network", "proxy"], "value"),
    });
  return network;
}

function socketsOf(file: ProfileFile, yaml: YamlFile, variables: PathVariables, follow: PathWalk): Sockets {
  if (typeof file.sockets !== "object") return file.sockets ?? OPEN.sockets;
  return file.sockets.flatMap((path, index) =>
    placed(yaml, ["sockets", index], () =>
      pathsFrom(path, variables).map((one) => operatorPath(one, follow)),
    ),
  );
}

/** The input for checking examples: a layer, its masks alone, and the index of masks that match a path itself. */
interface ExampleInput {
  readonly layer: Layer;
  readonly onlyMasks: Layer;
  readonly find: MaskFinder;
  readonly meant: Meant;
  readonly follow: PathWalk;
}

/**
 * Why an example fails, if it does. A path through symlinks has the access of its real path, unless a mask caps the
 * written one. A mask that matches a symlink itself also caps its target.
 */
function failuresOf(
  { layer, onlyMasks, find, meant, follow }: ExampleInput,
  example: Example,
  variables: PathVariables,
): readonly string[] {
  const key = "path" in example ? "path" : "socket" in example ? "socket" : null;
  if (key === null) return messagesOf(layer, example, variables);
  const text = "path" in example ? example.path : "socket" in example ? example.socket : "";
  const asked = { ...example, [key]: text.endsWith("/") ? "${path}/" : "${path}" };
  return pathsFrom(text, variables).flatMap((written) => {
    const real = realPath(written, follow);
    const atEnd = messagesOf(layer, asked, { path: [real] });
    if (real === written) return atEnd;
    if ("allow" in example) return [...atEnd, ...messagesOf(onlyMasks, asked, { path: [written] })];
    const capping =
      meant === "way" ? [written] : linksOn(written, follow).filter((link) => find(link) !== null);
    const isCapped = capping.some((path) => messagesOf(onlyMasks, asked, { path: [path] }).length === 0);
    return isCapped ? [] : atEnd;
  });
}

function messagesOf(layer: Layer, example: Example, variables: PathVariables): readonly string[] {
  return failedExamples(layer, [example], variables).map(({ message }) => message);
}

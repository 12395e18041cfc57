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
import { linksOn, operatorPath, realPath, realPattern, type Walk } from "./operator-path.ts";
import { walk } from "./safe-file.ts";
import type { ProfileFile } from "./schema.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/** The patterns that the masks of one file may mean together, with all alternatives and variables. */
const MOST_MASKS = 20_000;

/**
 * One operator file as a layer of the ceiling, without what it extends. Paths are made real; every clause knows where
 * it stands; `table` is what a shipped one has in a file of its own. Throws `PROFILE_INVALID`, `PATH_INVALID`, `PATTERN_INVALID`, `HOST_INVALID`, each with its position.
 */
export function layerOf(
  file: ProfileFile,
  yaml: YamlFile,
  variables: PathVariables,
  follow: Walk = walk,
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
      // Of two entries for one path the lesser decides, so its place is the one to name.
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
      if (count <= MOST_MASKS) return meant.flatMap((one) => withRealTwin(one, follow));
      throw new CofferdamError("PROFILE_INVALID", `the masks mean more than ${MOST_MASKS} patterns`, {
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

/** A mask as a file writes it, and where: its row, and the key of its pattern there. */
interface WrittenMask {
  readonly mask: NonNullable<ProfileFile["masks"]>[number];
  readonly row: YamlPath;
  readonly key: "pattern" | "names";
}

/** The masks of a file: what hosts execute unasked can't be changed where it exists. */
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

/**
 * What a path of a denying example stands for where it leads through symlinks: the place that it reaches, or, in a
 * profile that is shipped for machines that nobody knew, already the way that is written.
 */
export type Meant = "place" | "way";

/** What the paths of examples mean. */
export interface ExamplesAt {
  readonly variables: PathVariables;
  readonly meant: Meant;
  readonly follow: Walk;
}

/**
 * Holds a file's `expect` lines against its layer, which must include what the file extends. Throws `PROFILE_INVALID`
 * at the first example that fails, for whichever path its variables stand for.
 */
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

/**
 * A mask, and the same for where its path really lies, as far as it has no wildcard: what is searched and mounted are
 * real paths, and adding a mask never adds access. The links on the way of a path stay as they are, or it would lie elsewhere
 * the next time.
 */
function withRealTwin(mask: Mask, follow: Walk): readonly Mask[] {
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
    throw new CofferdamError("PROFILE_INVALID", "the proxy of an operator profile has a user or a password", {
      hint: "write its URL without them: who may read the profile could read them; a config may say `proxy: environment`",
      at: positionAt(yaml, ["network", "proxy"], "value"),
    });
  return network;
}

function socketsOf(file: ProfileFile, yaml: YamlFile, variables: PathVariables, follow: Walk): Sockets {
  if (typeof file.sockets !== "object") return file.sockets ?? OPEN.sockets;
  return file.sockets.flatMap((path, index) =>
    placed(yaml, ["sockets", index], () =>
      pathsFrom(path, variables).map((one) => operatorPath(one, follow)),
    ),
  );
}

/** What examples are held against: a layer, its masks alone, and what finds a mask that matches a path itself. */
interface Held {
  readonly layer: Layer;
  readonly onlyMasks: Layer;
  readonly find: MaskFinder;
  readonly meant: Meant;
  readonly follow: Walk;
}

/**
 * Why an example fails, if it does. What a path that leads through symlinks may do is what its real path may do, as far
 * as no mask caps the way that is written. A mask that matches a symlink itself also caps what that leads to.
 */
function failuresOf(
  { layer, onlyMasks, find, meant, follow }: Held,
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

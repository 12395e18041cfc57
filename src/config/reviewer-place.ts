import { existsSync, statSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { isExecutable } from "../host/launch/program-start.ts";
import { contentIdOf } from "../host/look/content.ts";
import type { Host } from "../host/look/host.ts";
import { systemPath } from "../host/look/nodes.ts";
import type { ReviewerSection } from "../policy/reviewer-section.ts";
import { sha256 } from "../profile/digest.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath } from "../profile/path.ts";
import { listedPorts, normalPorts } from "../profile/ports.ts";
import type { Config, ReviewerPlace } from "./config.ts";
import { placed } from "./operator-layer.ts";
import { assertNoOwnPlace, whyTooLarge, writtenPath } from "./roots.ts";
import { printFailure, type ResolvedWay, walk } from "./safe-file.ts";
import type { YamlFile } from "./yaml.ts";

type Around = Pick<Config, "workspace" | "roots" | "runtimes" | "shell">;

const OUTSIDE = "keep the reviewer outside of every root that tools may write in";
const KEY = ["approval", "reviewer"] as const;

/**
 * The reviewer of a config as found on this machine. Throws, with the position, `CONFIG_INVALID` for a program that is
 * missing or that tools may write, and for a port of this machine that tools may listen on; `ROOT_REFUSED`,
 * `PATH_INVALID` and `HOST_INVALID` for other places that it may not have.
 */
export function reviewerPlace(
  host: Host,
  section: ReviewerSection | undefined,
  around: Around,
  yaml: YamlFile,
): ReviewerPlace | null {
  if (section === undefined) return null;
  const { command, url, needs } = section;
  if ((command === undefined) === (url === undefined))
    placed(yaml, KEY, () => {
      throw invalid("the reviewer needs either `command` or `url`", "write one of them");
    });
  for (const [index, rule] of needs.hosts.entries())
    placed(yaml, [...KEY, "needs", "hosts", index], () => parseHostRule(rule));
  const read = needs.read.map((text, index) =>
    placed(yaml, [...KEY, "needs", "read", index], () =>
      placeOutside(host, writtenPath(text, around.workspace), around),
    ),
  );
  if (url !== undefined) {
    placed(yaml, [...KEY, "url"], () => assertNoTool(url, around));
    return {
      section,
      command: [],
      start: null,
      read,
      files: [],
      digest: digestOf(section, []),
      isChanged: false,
    };
  }
  const found = placed(yaml, [...KEY, "command"], () => programOf(command ?? [], read, around));
  const files = found.files.map((path) =>
    placed(yaml, [...KEY, "command"], () => placeOutside(host, path, around)),
  );
  return {
    section,
    command: found.command,
    start: found.start,
    read: [...new Set([...files, ...read])],
    files,
    digest: digestOf(section, files),
    isChanged: false,
  };
}

/** True if the files of a reviewer are those that it was loaded with. Throws `FACTS_UNSTABLE` if one changes just now. */
export function isSameReviewer({ section, files, digest }: ReviewerPlace): boolean {
  return digestOf(section, files) === digest;
}

/** SHA-256 of the settings and of the files that the command names; a very large file counts by its size and change. */
function digestOf(section: ReviewerSection, files: readonly AbsolutePath[]): string {
  const contents = files.map((path) => {
    const stats = statSync(systemPath(path), { throwIfNoEntry: false });
    return [path, stats === undefined ? null : contentIdOf(path, `${stats.dev}:${stats.ino}`)];
  });
  return sha256(JSON.stringify([section, contents]));
}

interface FoundProgram {
  readonly command: readonly string[];
  readonly start: AbsolutePath;
  /** The program, and every further word that names a file. */
  readonly files: readonly AbsolutePath[];
}

/** The command with the real paths of its files: none of them is reached by a link, which may lead elsewhere later. */
function programOf(
  [program = "", ...rest]: readonly string[],
  read: readonly AbsolutePath[],
  { workspace, runtimes, roots }: Around,
): FoundProgram {
  const written = program.includes("/") ? writtenPath(program, workspace) : null;
  const found = written ?? inPath(program, runtimes);
  const real = found === null ? null : realFile(found, { roots });
  if (real === null || !isExecutable(real))
    throw invalid(
      `the reviewer ${visible(program)} is no program on this machine`,
      "write its absolute path",
    );
  const seen = [...read, ...runtimes.flatMap((runtime) => runtime.read)];
  const isFolder = (path: AbsolutePath): boolean =>
    statSync(systemPath(path), { throwIfNoEntry: false })?.isDirectory() === true;
  const start = seen.find(isFolder);
  if (start === undefined)
    throw invalid("the reviewer has no folder to start in", "list a runtime, or a folder in `needs.read`");
  const words = rest.map((word) => {
    const path = pathOf(word, workspace, start);
    const file = path === null || !existsSync(systemPath(path)) ? null : realFile(path, { roots });
    return { word: file ?? word, file };
  });
  return {
    command: [written === null ? program : real, ...words.map(({ word }) => word)],
    start,
    files: [...new Set([real, ...words.flatMap(({ file }) => file ?? [])])],
  };
}

/** The path that a word may name: from the config's folder if it says so, else from where the program starts. */
function pathOf(word: string, workspace: AbsolutePath, start: AbsolutePath): AbsolutePath | null {
  if (word.startsWith("-") || word.includes("${")) return null;
  const path = word.startsWith("/")
    ? word
    : word.startsWith("./")
      ? `${workspace}/${word.slice(2)}`
      : `${start}/${word}`;
  return isAbsolutePath(path) ? path : null;
}

function inPath(name: string, runtimes: Around["runtimes"]): AbsolutePath | null {
  const places = runtimes.flatMap(({ path }) => path).map((folder) => joinPath(folder, name));
  return places.find((path) => isExecutable(path)) ?? null;
}

/** The real path of a plain file; null if there is none. Throws `CONFIG_INVALID` if a link in a root leads to it. */
function realFile(path: AbsolutePath, around: Pick<Around, "roots">): AbsolutePath | null {
  const way = wayTo(path);
  if (way.missing.length > 0 || way.steps.at(-1)?.stats.isFile() !== true) return null;
  assertUnwritable(way, around);
  return way.real;
}

/** The real path of something that no tool may write, and no config may give away. */
function placeOutside(host: Host, path: AbsolutePath, around: Pick<Around, "roots">): AbsolutePath {
  const way = wayTo(path);
  if (way.missing.length > 0)
    throw invalid(`${visible(path)} does not exist`, "name an existing file or folder");
  assertUnwritable(way, around);
  assertNoOwnPlace(host, way.real);
  const why = whyTooLarge(host, way.real);
  if (why !== null) throw invalid(`${visible(way.real)} ${why}`, "name a smaller folder");
  return way.real;
}

function wayTo(path: AbsolutePath): ResolvedWay {
  try {
    return walk(path);
  } catch (cause) {
    throw invalid(`${visible(path)} ${printFailure(cause)}`, "name an existing file or folder");
  }
}

function assertUnwritable({ real, steps }: ResolvedWay, { roots }: Pick<Around, "roots">): void {
  for (const root of roots.filter(({ mode }) => mode === "rw")) {
    const name = `the root ${visible(root.name)}, where tools may write`;
    const inside = [{ path: real }, ...steps].find((step) => isInside(step.path, root.path));
    if (inside !== undefined) throw invalid(`the reviewer's ${visible(inside.path)} is in ${name}`, OUTSIDE);
    if (isInside(root.path, real)) throw invalid(`the reviewer's ${visible(real)} contains ${name}`, OUTSIDE);
  }
}

/** Throws for a place where a tool could answer instead of the service. */
function assertNoTool(url: string, { shell }: Around): void {
  const { port } = new URL(url);
  const number = port === "" ? 80 : Number(port);
  if (shell.network === "host")
    throw invalid(
      "a command could answer in place of the reviewer, because its network is the machine's own",
      "use `command` for the reviewer, or another `shell.network`",
    );
  if (listedPorts(normalPorts(shell.ports)).includes(number))
    throw invalid(
      `a command could answer in place of the reviewer, because port ${number} leads to it`,
      "use another port for the reviewer",
    );
}

function invalid(message: string, hint: string): CofferdamError {
  return new CofferdamError("CONFIG_INVALID", message, { hint });
}

import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { journalFolder } from "../journal/journal.ts";
import { type AbsolutePath, isInside, joinPath } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import type { Config, JournalPlace } from "./config.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import { writtenPath } from "./roots.ts";
import { isUnwritable, printFailure, type ResolvedWay, walk } from "./safe-file.ts";
import type { JournalSection } from "./schema.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

/** The default without a config: the state folder, for ever. */
export const NO_JOURNAL: JournalPlace = { folder: null, written: null, keepMs: null };

const ELSEWHERE = "name a folder outside all roots that only you can access";

/**
 * The folder for records under a config. Throws `CONFIG_INVALID` at its line for a folder that overlaps a root, is
 * reached through one, or is in a folder that programs read; for one in the state folder other than that for records;
 * for one that anyone but the caller and root can replace or look into. Throws `PATH_INVALID`.
 */
export function journalPlace(
  host: Host,
  { folder, keep }: JournalSection,
  facts: Pick<Config, "workspace" | "roots" | "runtimes">,
  yaml: YamlFile,
): JournalPlace {
  const keepMs = keep ?? null;
  if (folder === undefined) return { ...NO_JOURNAL, keepMs };
  const place = ["journal", "folder"];
  return placed(yaml, place, () => {
    const written = writtenPath(folder, facts.workspace);
    const way = wayTo(written);
    const path = way.missing.length === 0 ? way.real : joinPath(way.real, way.missing.join("/"));
    const problem =
      inReach(path, way, facts) ?? ownPlace(host, path) ?? loose(host, way) ?? unowned(host, path, way);
    if (problem === null) return { folder: path, written, keepMs };
    const [what, hint] = problem;
    throw new CofferdamError("CONFIG_INVALID", `the journal's folder ${visible(path)} ${what}`, {
      hint,
      at: positionAt(yaml, place, "value"),
    });
  });
}

type Problem = readonly [what: string, hint: string];

function wayTo(written: AbsolutePath): ResolvedWay {
  const refuse = (what: string, cause?: unknown): CofferdamError =>
    new CofferdamError("CONFIG_INVALID", `the journal's folder ${visible(written)} ${what}`, {
      hint: ELSEWHERE,
      cause,
    });
  let way: ResolvedWay;
  try {
    way = walk(written);
  } catch (error) {
    throw refuse(printFailure(error), error);
  }
  if (way.isDangling) throw refuse("is reached by a dangling symlink");
  return way;
}

/** Rejects a folder that tools can reach or see: in or around roots of any mode, and in folders that programs read. */
function inReach(
  path: AbsolutePath,
  { steps }: ResolvedWay,
  { roots, runtimes }: Pick<Config, "roots" | "runtimes">,
): Problem | null {
  for (const root of roots) {
    const where = `the root ${visible(root.name)}`;
    if (isInside(path, root.path)) return [`is in ${where}`, ELSEWHERE];
    if (isInside(root.path, path)) return [`contains ${where}`, ELSEWHERE];
    const link = steps.find((step) => isInside(step.path, root.path));
    if (link !== undefined) return [`is reached by ${visible(link.path)}, which is in ${where}`, ELSEWHERE];
  }
  for (const { name, read } of runtimes) {
    const shown = read.find((one) => isInside(path, one));
    if (shown !== undefined)
      return [`is in ${visible(shown)}, which programs read as a part of ${visible(name)}`, ELSEWHERE];
  }
  return null;
}

function ownPlace(host: Host, path: AbsolutePath): Problem | null {
  const state = realPath(host.stateFolder);
  if (!isInside(path, state) || path === realPath(journalFolder(host.stateFolder))) return null;
  return [`is in the state folder ${visible(state)}`, "remove the key: records are kept there by default"];
}

function loose(host: Host, { steps }: ResolvedWay): Problem | null {
  const step = steps.find((one) => !isUnwritable(one, [0, host.user.uid]));
  if (step === undefined) return null;
  const { path, stats } = step;
  if (stats.uid !== 0 && stats.uid !== host.user.uid)
    return [`can be replaced by user ${stats.uid}, who owns ${visible(path)}`, ELSEWHERE];
  const who = (stats.mode & 0o002) === 0 ? `group ${stats.gid}` : "every user";
  return [
    `can be replaced by ${who}, who can write in ${visible(path)}`,
    `run ${quote(["chmod", "go-w", path])}`,
  ];
}

/** An existing folder must have the properties of a new one. */
function unowned(host: Host, path: AbsolutePath, { real, steps, missing }: ResolvedWay): Problem | null {
  const stats = steps.findLast((step) => step.path === real)?.stats;
  if (stats?.isDirectory() !== true) return ["is not a folder, or is not in a folder", ELSEWHERE];
  if (missing.length > 0) return null;
  if (stats.uid !== host.user.uid) return ["belongs to another user", ELSEWHERE];
  if ((stats.mode & 0o077) === 0) return null;
  return ["can be read by other users", `run ${quote(["chmod", "go-rwx", path])}`];
}

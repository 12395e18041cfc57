import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { journalFolder } from "../journal/journal.ts";
import { type AbsolutePath, isInside, joinPath } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import type { Config, JournalPlace } from "./config.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import { writtenPath } from "./roots.ts";
import { isUnwritable, printFailure, type Way, walk } from "./safe-file.ts";
import type { JournalSection } from "./schema.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

/** What holds where no config says anything: the state folder, for ever. */
export const NO_JOURNAL: JournalPlace = { folder: null, written: null, keepMs: null };

const ELSEWHERE = "name a folder that is yours alone, outside of all roots";

/**
 * Where a config has records go. Throws `CONFIG_INVALID` at its line for a folder in or around which tools work or
 * programs read, or to which they could lead; in the state folder beside the one for records; that others than the caller
 * and root can replace, or look into; `PATH_INVALID`.
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
    const path = joinNames(way);
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

function wayTo(written: AbsolutePath): Way {
  const refuse = (what: string, cause?: unknown): CofferdamError =>
    new CofferdamError("CONFIG_INVALID", `the journal's folder ${visible(written)} ${what}`, {
      hint: ELSEWHERE,
      cause,
    });
  let way: Way;
  try {
    way = walk(written);
  } catch (error) {
    throw refuse(printFailure(error), error);
  }
  if (way.isDangling) throw refuse("is reached by a symlink that leads nowhere");
  return way;
}

function joinNames({ real, missing }: Way): AbsolutePath {
  return missing.length === 0 ? real : joinPath(real, missing.join("/"));
}

/** What tools can reach or see: roots, whatever their mode, and what programs read. */
function inReach(
  path: AbsolutePath,
  { steps }: Way,
  { roots, runtimes }: Pick<Config, "roots" | "runtimes">,
): Problem | null {
  for (const root of roots) {
    const where = `the root ${visible(root.name)}`;
    if (isInside(path, root.path)) return [`lies in ${where}`, ELSEWHERE];
    if (isInside(root.path, path)) return [`holds ${where}`, ELSEWHERE];
    const link = steps.find((step) => isInside(step.path, root.path));
    if (link !== undefined) return [`is reached by ${visible(link.path)}, which lies in ${where}`, ELSEWHERE];
  }
  for (const { name, read } of runtimes) {
    const shown = read.find((one) => isInside(path, one));
    if (shown !== undefined)
      return [`lies in ${visible(shown)}, which programs read as a part of ${visible(name)}`, ELSEWHERE];
  }
  return null;
}

function ownPlace(host: Host, path: AbsolutePath): Problem | null {
  const state = realPath(host.stateFolder);
  if (!isInside(path, state) || path === realPath(journalFolder(host.stateFolder))) return null;
  return [`lies in the state folder ${visible(state)}`, "leave it out: records stand there anyway"];
}

/** What somebody else could put another folder in the place of. */
function loose(host: Host, { steps }: Way): Problem | null {
  const step = steps.find((one) => !isUnwritable(one, [0, host.user.uid]));
  if (step === undefined) return null;
  const { path, stats } = step;
  if (stats.uid !== 0 && stats.uid !== host.user.uid)
    return [`can be replaced by user ${stats.uid}, to whom ${visible(path)} belongs`, ELSEWHERE];
  const who = (stats.mode & 0o002) === 0 ? `group ${stats.gid}` : "every user";
  return [
    `can be replaced by ${who}: ${visible(path)} is open to be written`,
    `run ${quote(["chmod", "go-w", path])}`,
  ];
}

/** What is there already must be as it would be made. */
function unowned(host: Host, path: AbsolutePath, { real, steps, missing }: Way): Problem | null {
  const stats = steps.findLast((step) => step.path === real)?.stats;
  if (stats?.isDirectory() !== true) return ["is no folder, or lies in what is none", ELSEWHERE];
  if (missing.length > 0) return null;
  if (stats.uid !== host.user.uid) return ["belongs to another user", ELSEWHERE];
  if ((stats.mode & 0o077) === 0) return null;
  return ["can be looked into by others", `run ${quote(["chmod", "go-rwx", path])}`];
}

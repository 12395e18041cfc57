import { type Stats, statSync } from "node:fs";
import { visible } from "../errors.ts";
import { BoundedLook, leadsTo } from "../host/leads.ts";
import { yamlText } from "../host/runtimes/written.ts";
import { accessTo } from "../profile/access-to.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  isTooDeep,
  nameOf,
  ROOT,
  upwards,
} from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Denial } from "./denial.ts";
import { shownLinks } from "./shown-links.ts";
import type { Standing } from "./standing.ts";

/** A path in what a program said. */
const PATH = /\/[\w.+@~-]+(?:\/[\w.+@:~-]+)+/g;
/** More are not looked at. */
const MAX_PATHS = 64;
/** The places that they lead through have so many characters together. */
const MAX_PASSED = 64 * 1024;
/** More are told to nobody. */
const MAX_DENIALS = 3;
const FOLDER = { kind: "folder", bornInside: false } as const;

/**
 * Links of the machine's programs that lead out of the sandbox, where a program that failed named one. What it says selects
 * among links that are shown by a runtime and lie in no root: no call can make or change one, so it can't ask about other
 * places.
 */
export function deadLinkDenials(
  said: string,
  profile: Profile,
  standing: Pick<Standing, "settings" | "backend">,
): readonly Denial[] {
  const { runtimes, roots } = standing.settings;
  const shown = runtimes.flatMap(({ read }) => read);
  const links = shownLinks(standing);
  const look = new BoundedLook(MAX_PASSED);
  const isSeen = (path: AbsolutePath): boolean =>
    links.has(path) || accessTo(profile, path, FOLDER) !== "none";
  const isFixed = (path: AbsolutePath): boolean =>
    shown.some((folder) => isInside(path, folder)) && !roots.some((root) => isInside(path, root.path));
  const named = [...new Set(Array.from(said.matchAll(PATH), ([path]) => path.replace(/[.:]+$/, "")))];
  const found = named.slice(0, MAX_PATHS).flatMap((path): readonly Denial[] => {
    if (!isAbsolutePath(path) || isTooDeep(path) || !isFixed(path)) return [];
    const { path: end, kind } = leadsTo(path, ROOT, isSeen, look.at);
    const isOut = kind === "unseen" && end !== path && standing.backend.viewAround(end) === null;
    return isOut && !look.isOver ? denialOf(path, end) : [];
  });
  return found.slice(0, MAX_DENIALS);
}

function denialOf(path: AbsolutePath, end: AbsolutePath): readonly Denial[] {
  const folder = [...upwards(end)].filter(isFolder).at(-1);
  if (folder === undefined || !isOpen(end)) return [];
  return [
    {
      operation: "read",
      target: path,
      certainty: "certain",
      because: `it leads to ${visible(end)}, which is not in the sandbox`,
      remedy: `add \`{ name: ${yamlText(nameOf(folder))}, read: [${yamlText(folder)}] }\` under \`sandbox.runtimes\`, if no secret lies there`,
    },
  ];
}

/** What not every user of the machine may read is kept out without a hint. */
function isOpen(path: AbsolutePath): boolean {
  return ((statsBehind(path)?.mode ?? 0) & 0o004) !== 0;
}

/** A folder that a package has for itself, as `/etc/maven` or `/var/lib/ghc`: topmost, so that all of its links lead somewhere. */
function isFolder(path: AbsolutePath): boolean {
  const names = path.split("/").length - 1;
  const isTop = names < 2 || (path.startsWith("/var/") && names < 3) || path.startsWith("/home/");
  return !isTop && statsBehind(path)?.isDirectory() === true;
}

/** What stands at the end of all links; null where there is nothing, or nothing that this user can see. */
function statsBehind(path: AbsolutePath): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

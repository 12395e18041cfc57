import { type Stats, statSync } from "node:fs";
import type { CallPolicy } from "../../decide/call-policy.ts";
import { visible } from "../../errors.ts";
import { BoundedLook, leadsTo } from "../../host/look/leads.ts";
import { yamlText } from "../../host/look/runtimes/written.ts";
import { orNull } from "../../host/or-null.ts";
import type { Denial } from "../../policy/denial.ts";
import { accessTo } from "../../profile/access-to.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  isTooDeep,
  nameOf,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { shownLinks } from "../shown-links.ts";

const PATH = /\/[\w.+@~-]+(?:\/[\w.+@:~-]+)+/g;
const MAX_PATHS = 64;
/** Maximum of characters of all places on their ways. */
const MAX_PASSED = 64 * 1024;
const MAX_DENIALS = 3;
const FOLDER = { kind: "folder", bornInside: false } as const;

/**
 * The machine's program links that lead out of the sandbox, if a failed program named one. Its output only selects
 * among links shown by a runtime outside all roots: no call can make or change one, so it can't ask about other
 * places.
 */
export function deadLinkDenials(
  said: string,
  profile: Profile,
  policy: Pick<CallPolicy, "settings" | "backend">,
): readonly Denial[] {
  const { runtimes, roots } = policy.settings;
  const shown = runtimes.flatMap(({ read }) => read);
  const links = shownLinks(policy);
  const look = new BoundedLook(MAX_PASSED);
  const isSeen = (path: AbsolutePath): boolean =>
    links.has(path) || accessTo(profile, path, FOLDER) !== "none";
  const isFixed = (path: AbsolutePath): boolean =>
    shown.some((folder) => isInside(path, folder)) && !roots.some((root) => isInside(path, root.path));
  const named = [...new Set(Array.from(said.matchAll(PATH), ([path]) => path.replace(/[.:]+$/, "")))];
  const found = named.slice(0, MAX_PATHS).flatMap((path): readonly Denial[] => {
    if (!isAbsolutePath(path) || isTooDeep(path) || !isFixed(path)) return [];
    const { path: end, kind } = leadsTo(path, ROOT, isSeen, look.at);
    const isOut = kind === "unseen" && end !== path && policy.backend.viewAround(end) === null;
    return isOut && !look.isOver ? denialOf(path, end) : [];
  });
  return found.slice(0, MAX_DENIALS);
}

function denialOf(path: AbsolutePath, end: AbsolutePath): readonly Denial[] {
  const folder = [...upwards(end)].filter(isFolder).at(-1);
  // Files that not every user of the machine may read are hidden without a hint.
  const isOpen = ((statsBehind(end)?.mode ?? 0) & 0o004) !== 0;
  if (folder === undefined || !isOpen) return [];
  return [
    {
      operation: "read",
      target: path,
      certainty: "certain",
      because: `it leads to ${visible(end)}, which is not in the sandbox`,
      remedy: `add \`{ name: ${yamlText(nameOf(folder))}, read: [${yamlText(folder)}] }\` under \`sandbox.runtimes\`, if it contains no secrets`,
    },
  ];
}

/** A package's own folder, as `/etc/maven` or `/var/lib/ghc`: topmost, so that all of its links lead somewhere. */
function isFolder(path: AbsolutePath): boolean {
  const names = path.split("/").length - 1;
  const isTop = names < 2 || (path.startsWith("/var/") && names < 3) || path.startsWith("/home/");
  return !isTop && statsBehind(path)?.isDirectory() === true;
}

/** The file at the end of all links; null if there is none, or none visible to this user. */
function statsBehind(path: AbsolutePath): Stats | null {
  return orNull(() => statSync(path));
}

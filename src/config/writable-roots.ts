import { CofferdamError, visible, withPosition } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { MAX_NAMES, otherName } from "../host/look/installation/other-names.ts";
import { wayOutOf } from "../host/look/installation/part.ts";
import { readOnlyAt } from "../host/look/installation/read-only-at.ts";
import type { Installation } from "../host/look/installation.ts";
import { isLink } from "../host/look/nodes.ts";
import { type AbsolutePath, isInside, parentOf } from "../profile/path.ts";
import { writableIn } from "../profile/profile.ts";
import type { WhyNoRoot } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import type { Ceiling } from "./config.ts";
import { realPath } from "./operator-path.ts";
import type { OperatorProfile } from "./operator-profile.ts";
import { whyTooLarge } from "./roots.ts";
import { whyFixedFolder, whySystemFolder } from "./system-folders.ts";

/**
 * Throws `ROOT_REFUSED`, at the root's line, for a forbidden writable root: a folder of the system, unless an
 * operator's file allows exactly that path; or one in which the product's own code can't be protected.
 */
export function assertMayBeWritten(
  host: Host,
  roots: readonly Root[],
  {
    profiles,
    installed,
  }: { readonly profiles: readonly OperatorProfile[]; readonly installed: Installation },
): void {
  const allowed = allowedByOperators(host, profiles);
  for (const root of roots.filter(({ mode }) => mode === "rw")) {
    const refused =
      ownCodeRefusal(installed, root.path) ??
      otherNameRefusal(installed, root.path, roots) ??
      (allowed.has(root.path) ? null : systemRefusal(host, root.path));
    if (refused !== null) throw root.at === null ? refused : withPosition(refused, root.at);
  }
}

/**
 * Why a config can't list a folder with this mode: a clause; null if it can, as far as fixed paths and the caller's own
 * home decide. Models read it, so the machine's other users, libraries and sockets do not count.
 */
export function whyNoRoot(host: Host, { layers }: Pick<Ceiling, "layers">): WhyNoRoot {
  return (folder, mode) => {
    const isAllowed = mode === "ro" || layers.some(({ profile }) => writableIn(profile).includes(folder));
    const why = whyTooLarge(host, folder) ?? (isAllowed ? null : whyFixedFolder(host, folder));
    return why === null ? null : `the folder ${visible(folder)} ${why}`;
  };
}

/** Paths that an operators' folder makes writable by name; a profile named by the config allows nothing. */
function allowedByOperators(host: Host, profiles: readonly OperatorProfile[]): ReadonlySet<AbsolutePath> {
  const folders = host.operatorFolders.map((folder) => realPath(folder));
  const byOperators = profiles.filter(({ path }) => folders.some((folder) => isInside(path, folder)));
  return new Set(byOperators.flatMap(({ layer }) => writableIn(layer.profile)));
}

function systemRefusal(host: Host, path: AbsolutePath): CofferdamError | null {
  const why = whySystemFolder(host, path);
  if (why === null) return null;
  return new CofferdamError("ROOT_REFUSED", `tools may not write in ${visible(path)}: it ${why}`, {
    hint: `make the root \`ro\`, name another folder, or let an operator list \`{ path: ${JSON.stringify(path)}, access: write }\` under \`files\` of a profile in ${host.operatorFolders[0] ?? "an operators' folder"}, with the other paths of calls`,
  });
}

/** Parts that can't be read-only inside the root: the root itself, and a link directly in it. */
function ownCodeRefusal({ parts }: Installation, path: AbsolutePath): CofferdamError | null {
  const part = parts.find(
    (one) => isInside(path, one.path) || (parentOf(one.path) === path && isLink(one.path)),
  );
  if (part === undefined) return null;
  const where = isInside(path, part.path)
    ? `it is in ${visible(part.path)}`
    : `the link ${visible(part.path)} leads to it`;
  return new CofferdamError(
    "ROOT_REFUSED",
    `tools may not write in ${visible(path)}: it contains ${part.what} (${where})`,
    {
      hint: `make the root \`ro\`, name another folder, or ${wayOutOf(part)}`,
    },
  );
}

/** A hard link is the same file at another path: a read-only file could be written by its other name. */
function otherNameRefusal(
  installed: Installation,
  path: AbsolutePath,
  roots: readonly Root[],
): CofferdamError | null {
  const { loaded, parts } = installed;
  const readOnly = roots.filter(({ mode }) => mode !== "rw");
  const held = [...parts, ...readOnly].map((one) => one.path);
  const folders = [path, ...writableInParts(installed, path)];
  const found = otherName(loaded, { folders, held });
  if (found === null) return null;
  const where =
    found === "too-many"
      ? `it contains more than ${MAX_NAMES} files, and some may be hard links to cofferdam's code`
      : `it contains ${visible(found.name)}, a hard link to ${visible(found.file)}, which cofferdam loads`;
  return new CofferdamError("ROOT_REFUSED", `tools may not write in ${visible(path)}: ${where}`, {
    hint: COPIES,
  });
}

/** Caches of build tools, which tools may write, inside parts that are read-only: see `installationLayer`. */
function writableInParts({ parts, places }: Installation, folder: AbsolutePath): readonly AbsolutePath[] {
  return parts
    .filter((part) => isInside(part.path, folder))
    .map((part) => readOnlyAt(part.path, places))
    .flatMap((held) => (held.kind === "packages" ? held.caches : []));
}

const COPIES =
  "install copies instead of hard links (`pnpm install --force --package-import-method=copy`, `bun install --force --backend=copyfile`), make the root `ro`, or name another folder";

import { CofferdamError, visible, withPosition } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { heldAt } from "../host/installation/held-at.ts";
import { MAX_NAMES, otherName } from "../host/installation/other-names.ts";
import { wayOutOf } from "../host/installation/part.ts";
import type { Installation } from "../host/installation.ts";
import { isLink } from "../host/nodes.ts";
import { type AbsolutePath, isInside, parentOf } from "../profile/path.ts";
import { writableIn } from "../profile/profile.ts";
import type { Root } from "../tool/facts.ts";
import { realPath } from "./operator-path.ts";
import type { OperatorProfile } from "./operator-profile.ts";
import { whySystemFolder } from "./system-folders.ts";

/**
 * Throws `ROOT_REFUSED`, at the root's line, for a root that tools may write and that must not be: a folder of the system,
 * unless an operator's file allows exactly that path; and one in which the product's own code can't be kept from them.
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

/** Paths that a file in an operators' folder lets be written by their own name. What a config names itself allows nothing. */
function allowedByOperators(host: Host, profiles: readonly OperatorProfile[]): ReadonlySet<AbsolutePath> {
  const folders = host.operatorFolders.map((folder) => realPath(folder));
  const byOperators = profiles.filter(({ path }) => folders.some((folder) => isInside(path, folder)));
  return new Set(byOperators.flatMap(({ layer }) => writableIn(layer.profile)));
}

function systemRefusal(host: Host, path: AbsolutePath): CofferdamError | null {
  const why = whySystemFolder(host, path);
  if (why === null) return null;
  return new CofferdamError("ROOT_REFUSED", `tools may not write in ${visible(path)}: it ${why}`, {
    hint: `make the root \`ro\`, name another folder, or let an operator allow it, in a profile in ${host.operatorFolders[0] ?? "an operators' folder"}: \`files: [{ path: "\${workspace}", access: write }, { path: "\${runtime}", access: read }, { path: ${JSON.stringify(path)}, access: write }]\``,
  });
}

/** What can't be held read-only inside the root: the root itself, and a link right below it, which would make all of it so. */
function ownCodeRefusal({ parts }: Installation, path: AbsolutePath): CofferdamError | null {
  const part = parts.find(
    (one) => isInside(path, one.path) || (parentOf(one.path) === path && isLink(one.path)),
  );
  if (part === undefined) return null;
  const where = isInside(path, part.path)
    ? `it lies in ${visible(part.path)}`
    : `the link ${visible(part.path)} in it leads to it`;
  return new CofferdamError(
    "ROOT_REFUSED",
    `tools may not write in ${visible(path)}: it holds ${part.what} (${where})`,
    {
      hint: `make the root \`ro\`, name another folder, or ${wayOutOf(part)}`,
    },
  );
}

/** Rules are about paths, and a hard link is the same file at another path: what is read-only by one name is written by the other. */
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
      ? `it holds more than ${MAX_NAMES} names, and hard links to cofferdam's own code may be among them`
      : `${visible(found.file)}, which cofferdam loads, has another name there: ${visible(found.name)}`;
  return new CofferdamError("ROOT_REFUSED", `tools may not write in ${visible(path)}: ${where}`, {
    hint: COPIES,
  });
}

/** Caches of build tools, which tools may write, in parts that they may only read: see `installationLayer`. */
function writableInParts({ parts, places }: Installation, folder: AbsolutePath): readonly AbsolutePath[] {
  return parts
    .filter((part) => isInside(part.path, folder))
    .map((part) => heldAt(part.path, places))
    .flatMap((held) => (held.kind === "packages" ? held.caches : []));
}

const COPIES =
  "have copies instead of hard links (`pnpm install --force --package-import-method=copy`, `bun install --force --backend=copyfile`), make the root `ro`, or name another folder";

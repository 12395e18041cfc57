import { lstatSync, statSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { resolvedPath } from "../host/look/nodes.ts";
import { EVERYTHING, reach } from "../host/look/runtimes/disk.ts";
import { type AbsolutePath, absolutePath, isAbsolutePath, isInside, ROOT } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import type { Link, Root } from "../tool/facts.ts";
import type { SandboxSection } from "../tool/settings.ts";
import { isHome, realHomes } from "./homes.ts";
import { placed } from "./operator-layer.ts";
import { realPath } from "./operator-path.ts";
import { printFailure, walk } from "./safe-file.ts";
import { positionAt, type YamlFile } from "./yaml.ts";

interface CommonPlaces {
  /** No root can be or hold one of these. */
  readonly common: readonly AbsolutePath[];
  readonly why: string;
  /** No root can be inside one of these either: they are file systems of the kernel. */
  readonly kernel: readonly AbsolutePath[];
}

/** On Linux a sandbox creates new ones for each call. On macOS all calls share them, so a root must be below one. */
const COMMON: Readonly<Record<Host["platform"], CommonPlaces>> = {
  linux: {
    common: ["/tmp", "/var/tmp", "/run", "/dev", "/dev/shm", "/proc", "/sys"].map(absolutePath),
    why: "which is new for each call",
    kernel: ["/proc", "/sys", "/dev"].map(absolutePath),
  },
  darwin: {
    common: ["/private/tmp", "/private/var/tmp", "/private/var/run", "/dev", "/System/Volumes/Data"].map(
      absolutePath,
    ),
    why: "which all programs on this machine share",
    kernel: [absolutePath("/dev")],
  },
};

const SMALLER = "name a smaller folder that contains only files for tools";

/**
 * `sandbox.paths` as found on the machine, in the order of the file: each a real folder, relative to the config's.
 * Throws `ROOT_REFUSED` at the line of a root that is missing, too wide, a symlink, reached by one in a root, or closed
 * to tools; `PATH_INVALID` for a path that no config may hold.
 */
export function resolveRoots(
  host: Host,
  paths: SandboxSection["paths"],
  folder: AbsolutePath,
  yaml: YamlFile,
): readonly Root[] {
  const roots: Root[] = [];
  for (const [name, section] of Object.entries(paths)) {
    const place = ["sandbox", "paths", name];
    const path = placed(yaml, [...place, "root"], () => {
      const written = writtenPath(section.root, folder);
      const found = rootFolder(host, written);
      const same = roots.find((root) => root.path === found);
      if (same !== undefined) {
        throw refused(found, `is already the root ${visible(same.name)}`, "list each folder once");
      }
      return found;
    });
    const links = linksOn(writtenPath(section.root, folder), path, host);
    roots.push({
      name,
      path,
      ...(links.length === 0 ? {} : { links }),
      mode: section.mode,
      suffixes: section.suffixes ?? "any",
      writeApproval: section.write_approval,
      readApproval: section.read_approval,
      at: positionAt(yaml, place),
    });
  }
  for (const [name, section] of Object.entries(paths)) {
    placed(yaml, ["sandbox", "paths", name, "root"], () =>
      assertNoWayThrough(roots, writtenPath(section.root, folder)),
    );
  }
  return roots.map((root) => withoutLinksIn(root, roots));
}

/** A link in a root is visible there, and tools may change it: it is not a fixed part of the path. */
function withoutLinksIn({ links, ...root }: Root, roots: readonly Root[]): Root {
  const outside = (links ?? []).filter(({ path }) => !roots.some((one) => isInside(path, one.path)));
  return outside.length === 0 ? root : { ...root, links: outside };
}

/**
 * The links by which people reach a root: as the config writes it, and as the caller's shell does (`PWD`, which POSIX
 * shells keep as typed) if that leads to the caller's folder. They are created again inside, and give access to
 * nothing.
 */
function linksOn(written: AbsolutePath, path: AbsolutePath, { cwd, env }: Host): readonly Link[] {
  const pwd = env["PWD"] ?? "";
  const isTyped = pwd !== cwd && isAbsolutePath(pwd) && isInside(cwd, path);
  const typed = isTyped ? reach(EVERYTHING, pwd) : null;
  const ways = [reach(EVERYTHING, written), typed?.real === cwd ? typed : null];
  const links = ways.flatMap((way) => way?.links ?? []);
  return [...new Map(links.map((link) => [link.path, link])).values()];
}

/** The link's target is not suggested: a call may have replaced the folder with the link. */
const LOOK_FIRST = "check the target of that link, then name the folder that you mean";

/** Throws `ROOT_REFUSED` for a folder reached by a symlink in a root: a tool could redirect it. */
function assertNoWayThrough(roots: readonly Root[], written: AbsolutePath): void {
  const { steps } = walk(written);
  for (const { path, stats } of steps) {
    const root = stats.isSymbolicLink() ? roots.find((one) => isInside(path, one.path)) : undefined;
    if (root === undefined) continue;
    const what = `is reached by the symlink ${visible(path)}, which is in the root ${visible(root.name)}`;
    throw refused(written, what, LOOK_FIRST);
  }
}

/** A config's path, absolute or from its folder. Throws `PATH_INVALID`: `..`, `~`, `${name}`, control characters. */
export function writtenPath(text: string, folder: AbsolutePath): AbsolutePath {
  if (text.includes("${") || text.startsWith("~")) {
    throw new CofferdamError(
      "PATH_INVALID",
      `the path ${visible(text)} has a variable or \`~\`, which are not expanded`,
      { hint: "write a path relative to the config's folder, such as `./notes`, or an absolute one" },
    );
  }
  if (text.split("/").includes("..")) {
    throw new CofferdamError("PATH_INVALID", `the path ${visible(text)} contains \`..\``, {
      hint: "write an absolute path",
    });
  }
  return absolutePath(text.startsWith("/") ? text : `${folder}/${text}`);
}

/**
 * Throws `ROOT_REFUSED` for a real path that no tool may have: in or around the state folder, around a folder that
 * belongs to no person, or in the kernel's own file systems.
 */
export function assertNoOwnPlace(host: Host, path: AbsolutePath): void {
  const state = realPath(host.stateFolder);
  const what = "which contains the records and trusted configs";
  if (isInside(path, state))
    throw refused(path, `is in the state folder ${visible(state)}, ${what}`, SMALLER);
  if (isInside(state, path))
    throw refused(path, `contains the state folder ${visible(state)}, ${what}`, SMALLER);
  const { common, why, kernel: files } = COMMON[host.platform];
  const kernel = files.find((one) => one !== path && isInside(path, one));
  if (kernel !== undefined)
    throw refused(
      path,
      `is in ${visible(kernel)}, ${why}`,
      "name a folder on a disk, such as one in your home",
    );
  const held = common.map((one) => realPath(one)).find((one) => isInside(one, path));
  if (held !== undefined) throw refused(path, `is or contains ${visible(held)}, ${why}`, SMALLER);
}

/**
 * The real path of a folder that may be a root. Throws `ROOT_REFUSED`: missing, not a folder, a symlink, `/`, a home
 * folder, or a path that `assertNoOwnPlace` rejects.
 */
export function rootFolder(host: Host, written: AbsolutePath): AbsolutePath {
  const real = existingFolder(written);
  const why = whyTooLarge(host, real);
  if (why !== null) throw refused(real, why, SMALLER);
  assertNoOwnPlace(host, real);
  if (isHome(host, real)) throw refused(real, "is a home folder", SMALLER);
  // Last: a target that is rejected anyway has its own error.
  if (lstatSync(written).isSymbolicLink()) throw refused(written, "is a symlink", LOOK_FIRST);
  return real;
}

/** Why a folder is no root even for reading, by the caller's own homes alone: a clause after its path, or null. */
export function whyTooLarge(host: Host, real: AbsolutePath): string | null {
  if (real === ROOT) return "is the whole file system";
  return realHomes(host).includes(real) ? "is a home folder" : null;
}

function existingFolder(written: AbsolutePath): AbsolutePath {
  let real: AbsolutePath;
  let isFolder: boolean;
  try {
    real = resolvedPath(written);
    isFolder = statSync(real).isDirectory();
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === "ENAMETOOLONG";
    const hint = isTooLong
      ? "name a folder with a shorter path"
      : `create it (\`${quote(["mkdir", "-p", written])}\`), or name another`;
    throw refused(written, printFailure(error), hint, error);
  }
  if (!isFolder) throw refused(written, "is not a folder", "name the folder that contains it");
  return real;
}

function refused(path: AbsolutePath, what: string, hint: string, cause?: unknown): CofferdamError {
  return new CofferdamError("ROOT_REFUSED", `the folder ${visible(path)} ${what}`, { hint, cause });
}

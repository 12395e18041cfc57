import { type AbsolutePath, isInside, nameOf, parentOf } from "../../../profile/path.ts";
import type { Host } from "../host.ts";
import { listedRuntime } from "./by-hand.ts";
import { childrenOf, EVERYTHING, isFolder, reach } from "./disk.ts";
import { type RuntimeGrant, shows } from "./grant.ts";
import { programsOnPath } from "./program.ts";
import { type RuntimeSite, siteOutside } from "./site.ts";
import { systemRuntime } from "./system.ts";
import { venvInRoot } from "./venv.ts";

/**
 * The folders for a tool that is not a named runtime: its program's, as on PATH, and those in `/etc` to which links
 * beside it lead; none if the system's own programs include all of it. Null if the tool is not on this machine, or
 * can't be separated from the files around it. Roots are ignored: any program may have written there.
 */
export function foldersOfTool(
  host: Host,
  name: string,
  roots: readonly AbsolutePath[],
): readonly AbsolutePath[] | null {
  const site = siteOutside(host, roots);
  const system = systemRuntime(site);
  const [program] = programsOnPath(site, name);
  const real = program === undefined ? undefined : reach(site, program)?.real;
  if (real === undefined || /\/shims\//.test(real)) return null;
  const own = prefixOf(real);
  if (shows(system, own)) return linksOut(system, [own, parentOf(real)]);
  const folders = program === undefined || nameOf(real) === name ? [own] : foldersOfLink(host, program, own);
  const needed = folders.map((folder) => (isShared(host, folder) ? parentOf(real) : folder));
  return needed.every((folder) => canBeListed(site, name, folder)) ? needed : null;
}

/** A link on PATH to a program of another name is the only way to find it: its folder is listed as well. */
function foldersOfLink(host: Host, link: AbsolutePath, own: AbsolutePath): readonly AbsolutePath[] {
  const prefix = prefixOf(link);
  return isInside(own, prefix) && !isShared(host, prefix) ? [prefix] : [parentOf(link), own];
}

/** The installation folder of a program, as far as its path shows. */
function prefixOf(program: AbsolutePath): AbsolutePath {
  const bin = parentOf(program);
  return nameOf(bin) === "bin" ? parentOf(bin) : bin;
}

/**
 * The folders outside the roots that a Python environment in a root (PEP 405) needs: its base interpreter's,
 * wherever that is. `bin` is its folder of programs. Null if it leads to no Python, or a folder can't be listed.
 */
export function foldersOfVenv(
  host: Host,
  bin: AbsolutePath,
  roots: readonly AbsolutePath[],
): readonly AbsolutePath[] | null {
  const site = siteOutside({ ...host, env: { ...host.env, PATH: bin } }, roots);
  const needs = venvInRoot(site, systemRuntime(site))?.needs ?? null;
  return needs?.every((folder) => canBeListed(site, "python", folder)) === true ? needs : null;
}

function isShared(host: Host, folder: AbsolutePath): boolean {
  const shared = ["/usr/local", "/opt", `${host.user.home}/.local`];
  return shared.includes(folder) || isInside(host.user.home, folder);
}

function linksOut(system: RuntimeGrant, folders: readonly AbsolutePath[]): readonly AbsolutePath[] {
  const linked = folders.flatMap((folder) =>
    childrenOf(folder)
      .filter(({ isLink }) => isLink)
      .flatMap(({ path }) => reach(EVERYTHING, path)?.real ?? [])
      .map((real) => (isFolder(EVERYTHING, real) ? real : parentOf(real))),
  );
  const needed = [...new Set(linked)].filter((real) => /^\/etc\/./.test(real) && !shows(system, real));
  return needed.filter((real) => !needed.some((other) => other !== real && isInside(real, other)));
}

function canBeListed(site: RuntimeSite, name: string, folder: AbsolutePath): boolean {
  try {
    listedRuntime(site, name, [folder]);
    return true;
  } catch {
    return false;
  }
}

import { type AbsolutePath, isInside, nameOf, parentOf } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { listedRuntime } from "./by-hand.ts";
import { childrenOf, EVERYTHING, isFolder, reach } from "./disk.ts";
import { type Grant, shows } from "./grant.ts";
import { programsOnPath } from "./program.ts";
import { type Site, siteOutside } from "./site.ts";
import { systemRuntime } from "./system.ts";
import { venvInRoot } from "./venv.ts";

/**
 * The folders that a tool needs which is no runtime with a name: that of its program, as PATH has it, and those in `/etc` to
 * which links beside it lead; none when the system's own programs hold all of it. Null when the tool is not on this machine, or
 * not where it can be told apart from what lies around it. The roots count for nothing: what lies there may be anybody's.
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

/** A program of another name, to which a link on PATH leads, is found by the link alone: its folder is listed as well. */
function foldersOfLink(host: Host, link: AbsolutePath, own: AbsolutePath): readonly AbsolutePath[] {
  const prefix = prefixOf(link);
  return isInside(own, prefix) && !isShared(host, prefix) ? [prefix] : [parentOf(link), own];
}

/** The folder of all that a program was installed with, as far as its path tells. */
function prefixOf(program: AbsolutePath): AbsolutePath {
  const bin = parentOf(program);
  return nameOf(bin) === "bin" ? parentOf(bin) : bin;
}

/**
 * What the Python environments of a root (PEP 405), by their folders of programs, need outside of the roots: the folders of the
 * interpreter that they were made with, wherever it is. Null for none that leads to a Python.
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

/** Folders that hold more than one tool. */
function isShared(host: Host, folder: AbsolutePath): boolean {
  const shared = ["/usr/local", "/opt", `${host.user.home}/.local`];
  return shared.includes(folder) || isInside(host.user.home, folder);
}

function linksOut(system: Grant, folders: readonly AbsolutePath[]): readonly AbsolutePath[] {
  const linked = folders.flatMap((folder) =>
    childrenOf(folder)
      .filter(({ isLink }) => isLink)
      .flatMap(({ path }) => reach(EVERYTHING, path)?.real ?? [])
      .map((real) => (isFolder(EVERYTHING, real) ? real : parentOf(real))),
  );
  const needed = [...new Set(linked)].filter((real) => /^\/etc\/./.test(real) && !shows(system, real));
  return needed.filter((real) => !needed.some((other) => other !== real && isInside(real, other)));
}

function canBeListed(site: Site, name: string, folder: AbsolutePath): boolean {
  try {
    listedRuntime(site, name, [folder]);
    return true;
  } catch {
    return false;
  }
}

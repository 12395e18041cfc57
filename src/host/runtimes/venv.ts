import { visible } from "../../errors.ts";
import { type AbsolutePath, isInside, joinPath, parentOf } from "../../profile/path.ts";
import type { Link, Runtime } from "../../tool/facts.ts";
import { isFile, reach } from "./disk.ts";
import { type Finding, missing } from "./finding.ts";
import { type Grant, shows } from "./grant.ts";
import { findLanguage } from "./installed.ts";
import { PYTHON } from "./language.ts";
import { programsOnPath } from "./program.ts";
import { type Site, siteWithRoots } from "./site.ts";
import { yamlText } from "./written.ts";

/**
 * A Python environment (PEP 405) in a root, or to which a way through a root leads. A tool can make it lead anywhere, so
 * that it is granted nothing: it works where all that it needs is granted anyway.
 */
export interface Venv {
  readonly program: AbsolutePath;
  /** Folders outside of the roots without which it does not start; null when it leads to no Python. */
  readonly needs: readonly AbsolutePath[] | null;
  /** Symlinks outside of the roots that are passed on the way to its interpreter. */
  readonly links: readonly Link[];
  /** Its folder of programs. */
  readonly path: readonly AbsolutePath[];
}

/** The environment whose `python3` comes on PATH before any that lies outside of the roots; null when there is none. */
export function venvInRoot(site: Site, system: Grant): Venv | null {
  const whole = siteWithRoots(site);
  const isInRoot = (path: AbsolutePath): boolean => site.hidden.some((root) => isInside(path, root));
  for (const program of programsOnPath(whole, PYTHON.program)) {
    if (reach(site, program) !== null) return null;
    const bin = reach(whole, parentOf(program))?.real;
    if (bin === undefined || !isFile(whole, joinPath(parentOf(bin), "pyvenv.cfg"))) continue;
    const finding = findLanguage(whole, system, PYTHON, [program]);
    if (finding.kind === "missing") return { program, needs: null, links: [], path: [] };
    const { read, links, path } = finding.runtime;
    const needs = read.filter((folder) => !isInRoot(folder) && !shows(system, folder));
    return { program, needs, links: links.filter((link) => !isInRoot(link.path)), path };
  }
  return null;
}

/** The runtime with the environment's programs first, when these grants show all that it needs; else as it is. */
export function withVenv(
  venv: Venv | null,
  runtime: Runtime,
  grants: readonly Pick<Grant, "read">[],
): Runtime {
  if (venv === null || !isShown(venv, [...grants, runtime])) return runtime;
  return { ...runtime, links: [...runtime.links, ...venv.links], path: [...venv.path, ...runtime.path] };
}

/**
 * The Python of a config that names it, where an environment comes first on PATH: the machine's with the environment's
 * programs before its own, or why the environment does not work with what is granted.
 */
export function pythonWithVenv(
  venv: Venv,
  machine: Finding,
  grants: readonly Pick<Grant, "read">[],
): Finding {
  const python = machine.kind === "found" ? machine.runtime : NO_PYTHON;
  const runtime = withVenv(venv, python, grants);
  if (runtime !== python) return { kind: "found", runtime };
  const { program, needs } = venv;
  const place = `was found at ${visible(program)}, a virtual environment in a root or behind one`;
  const leave = "leave the environment (`deactivate`)";
  if (needs === null) return missing(PYTHON.name, `${place} that leads to no Python`, leave);
  const message = `the runtime \`python\` ${place} that leads to ${needs.map(visible).join(", ")}`;
  const listed = `{ name: python, read: [${needs.map(yamlText).join(", ")}] }`;
  const hint = `if tools may read that, write ${listed} in the place of python; else ${leave}`;
  return { kind: "missing", message, hint };
}

/** What the environment adds to where the machine has no Python of its own on PATH. */
const NO_PYTHON: Runtime = { name: PYTHON.name, read: [], links: [], path: [], env: {}, macos: [] };

function isShown({ needs }: Venv, grants: readonly Pick<Grant, "read">[]): boolean {
  return needs?.every((folder) => grants.some((grant) => shows(grant, folder))) ?? false;
}

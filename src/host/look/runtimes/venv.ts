import { visible } from "../../../errors.ts";
import { type AbsolutePath, isInside, joinPath, parentOf } from "../../../profile/path.ts";
import type { Link, Runtime } from "../../../tool/facts.ts";
import { isFile, reach } from "./disk.ts";
import { missing, type RuntimeFinding } from "./finding.ts";
import { type RuntimeGrant, shows } from "./grant.ts";
import { findLanguage } from "./installed.ts";
import { PYTHON } from "./language.ts";
import { programsOnPath } from "./program.ts";
import { type RuntimeSite, siteWithRoots } from "./site.ts";
import { yamlText } from "./written.ts";

/** A Python environment (PEP 405) in or through a root. It gets no grant of its own: a tool can lead it anywhere. */
export interface Venv {
  readonly program: AbsolutePath;
  /** Folders outside the roots that it needs to start; null if it does not lead to a Python. */
  readonly needs: readonly AbsolutePath[] | null;
  /** Symlinks outside the roots on the way to its interpreter. */
  readonly links: readonly Link[];
  readonly path: readonly AbsolutePath[];
}

/** The environment whose `python3` comes on PATH before any outside the roots; null if there is none. */
export function venvInRoot(site: RuntimeSite, system: RuntimeGrant): Venv | null {
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

/** The runtime with the environment's programs first, if these grants include all that it needs; else unchanged. */
export function withVenv(
  venv: Venv | null,
  runtime: Runtime,
  grants: readonly Pick<RuntimeGrant, "read">[],
): Runtime {
  if (venv === null || !isShown(venv, [...grants, runtime])) return runtime;
  return { ...runtime, links: [...runtime.links, ...venv.links], path: [...venv.path, ...runtime.path] };
}

/**
 * The Python of a config that names it, if an environment comes first on PATH: the machine's with the environment's
 * programs before its own, or why the environment does not work with these grants.
 */
export function pythonWithVenv(
  venv: Venv,
  machine: RuntimeFinding,
  grants: readonly Pick<RuntimeGrant, "read">[],
): RuntimeFinding {
  const python = machine.kind === "found" ? machine.runtime : NO_PYTHON;
  const runtime = withVenv(venv, python, grants);
  if (runtime !== python) return { kind: "found", runtime };
  const { program, needs } = venv;
  const place = `was found at ${visible(program)}, a virtual environment in a root or behind one`;
  const leave = "leave the environment (`deactivate`)";
  if (needs === null) return missing(PYTHON.name, `${place} that leads to no Python program`, leave);
  const message = `the runtime \`python\` ${place} that leads to ${needs.map(visible).join(", ")}`;
  const listed = `{ name: python, read: [${needs.map(yamlText).join(", ")}] }`;
  const hint = `if tools may read that, write ${listed} instead of python; otherwise ${leave}`;
  return { kind: "missing", message, hint };
}

/** The base for an environment on a machine without a Python of its own on PATH. */
const NO_PYTHON: Runtime = { name: PYTHON.name, read: [], links: [], path: [], env: {}, macos: [] };

function isShown({ needs }: Venv, grants: readonly Pick<RuntimeGrant, "read">[]): boolean {
  return needs?.every((folder) => grants.some((grant) => shows(grant, folder))) ?? false;
}

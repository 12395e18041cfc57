import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import { isProgram } from "./disk.ts";
import type { Site } from "./site.ts";

/**
 * Every program of that name on PATH, in its order. Relative entries, `node_modules/.bin` and what is hidden are passed
 * over: what stands there was put there by whoever wrote the repository, and the machine's own program is meant.
 */
export function programsOnPath(site: Site, name: string): readonly AbsolutePath[] {
  const entries = (site.env["PATH"] ?? "").split(":").flatMap((entry) => tidied(entry) ?? []);
  const folders = entries.filter((folder) => !/\/node_modules\/\.bin(\/|$)/.test(folder));
  const programs = [...new Set(folders)].map((folder) => joinPath(folder, name));
  return programs.filter((program) => isProgram(site, program));
}

function tidied(entry: string): AbsolutePath | null {
  if (!entry.startsWith("/")) return null;
  const text = posix.normalize(entry).replace(/(?<=.)\/$/, "");
  return isAbsolutePath(text) ? text : null;
}

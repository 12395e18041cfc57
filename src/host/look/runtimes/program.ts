import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../../profile/path.ts";
import { isProgram } from "./disk.ts";
import type { RuntimeSite } from "./site.ts";

/** Programs on PATH, in order; none in relative, hidden or `node_modules/.bin` folders, which a repository may fill. */
export function programsOnPath(site: RuntimeSite, name: string): readonly AbsolutePath[] {
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

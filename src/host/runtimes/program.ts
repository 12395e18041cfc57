import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { isProgram } from "./disk.ts";

/**
 * Every program of that name on PATH, in its order. Relative entries and `node_modules/.bin` are passed over: what
 * stands there was put there by whoever wrote the repository, and the machine's own program is meant.
 */
export function programsOnPath(host: Host, name: string): readonly AbsolutePath[] {
  const entries = (host.env["PATH"] ?? "").split(":").flatMap((entry) => tidied(entry) ?? []);
  const folders = entries.filter((folder) => !/\/node_modules\/\.bin(\/|$)/.test(folder));
  return [...new Set(folders)].map((folder) => joinPath(folder, name)).filter(isProgram);
}

function tidied(entry: string): AbsolutePath | null {
  if (!entry.startsWith("/")) return null;
  const text = posix.normalize(entry).replace(/(?<=.)\/$/, "");
  return isAbsolutePath(text) ? text : null;
}

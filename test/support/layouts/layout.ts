import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Site } from "./site.ts";

export const CHECKOUT = join(import.meta.dirname, "../../..");

/** A way in which the package can be installed. */
export interface Layout {
  readonly name: string;
  /** Installs it at an empty site. */
  readonly install: (site: Site) => Promise<void>;
  /** The words that start the command line. */
  readonly command: (site: Site) => readonly string[];
  /** How else people start it. */
  readonly byManager?: (site: Site) => readonly string[];
  /** What a program imports: the package by its name, or the folder of one that no program finds by name. */
  readonly library?: (site: Site) => string;
  /** The words that start a program which imports it. */
  readonly starter?: (site: Site) => readonly string[];
  readonly env?: (site: Site) => Readonly<Record<string, string>>;
  /** The folder of the root in which it lies; the project unless it says so. */
  readonly root?: (site: Site) => string;
  /** Files and folders that decide which code is run. */
  readonly parts: (site: Site) => readonly string[];
  /** Programs that are not there, and would be started if they were. */
  readonly programs?: (site: Site) => readonly string[];
  /** Where Node, npm and shells look from for more. */
  readonly from?: (site: Site) => readonly string[];
  /** Why a root that holds everything, the caches of the package manager too, is refused; without it that is held as well. */
  readonly refusedAround?: string;
  /** What runs outside of a sandbox of what is planted or changed, beside the package itself. */
  readonly runs: readonly string[];
}

/** A project in which another package manager has installed it. */
export function project(manager: "pnpm" | "yarn" | "bun", settings: Readonly<Record<string, string>>) {
  return async (site: Site): Promise<void> => {
    manifest(site.project, { dependencies: { cofferdam: `file:${site.archive}` } });
    for (const [name, text] of Object.entries(settings)) writeFileSync(join(site.project, name), text);
    await site.manage(manager, ["install"]);
  };
}

/** Writes the manifest of a project. */
export function manifest(folder: string, more: object): void {
  const own = { name: "project", version: "1.0.0", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...own, ...more }));
}

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";

/** What is in a writable root when supervisors are killed, and how many launchers a call has there. */
interface Project {
  readonly what: string;
  readonly prepare: (place: Place) => void;
  readonly launchers: number;
}

/** Protected symlinks take a second launcher, which puts mounts on them. */
export const PROJECTS: readonly Project[] = [
  { what: "a project", prepare: () => undefined, launchers: 1 },
  { what: "a project with protected symlinks", prepare: linkProtected, launchers: 2 },
];

const LINKS = [
  [".npmrc", "shared/npmrc"],
  [".vscode", "shared/vscode"],
  ["packages/a/.npmrc", "../../.npmrc"],
  ["packages/a/.envrc", "nowhere"],
] as const;

/** Puts symlinks with protected names into the writable root: to a file, to a folder, to another link, to nothing. */
export function linkProtected(place: Place): void {
  for (const folder of ["ws/shared", "ws/shared/vscode", "ws/packages", "ws/packages/a"])
    place.folder(folder);
  place.file("ws/shared/npmrc", "a=1\n");
  place.file("ws/shared/vscode/settings.json", "{}\n");
  for (const [link, to] of LINKS) symlinkSync(to, join(place.ws, link));
  place.ownAll();
}

/** A line of shell that ends with 0 where each of these links is held by itself: all beside it can be written. */
export const LINKS_ARE_HELD = LINKS.map(
  ([link]) => `! rm ${link} && : > ${link}-beside && rm ${link}-beside`,
).join(" && ");

import { copyFileSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Person } from "../battery/people.ts";
import { Place } from "../battery/place.ts";

const PERL = "/usr/bin/perl";

/** Ways to make a name, as `plant.pl` has them. */
export const WAYS = ["file", "folder", "renamed", "moved", "link", "linked", "hard", "case"] as const;
export type Way = (typeof WAYS)[number];

/** A name, the folder below the root in which it is to be, and how it is made. */
export interface Plant {
  readonly way: Way;
  readonly folder: string;
  readonly name: string;
}

/** What is taken away is not asked about, and no command is. */
export const QUARANTINE = {
  sandbox: { appeared: "quarantine" },
  shell: { default: { approval: false } },
} as const;

/** A place whose root holds the programs that plant and attack. */
export function plantingPlace(person: Person): Place {
  const place = new Place(person);
  for (const name of ["plant.pl", "attack.pl"])
    copyFileSync(join(import.meta.dirname, name), join(place.ws, name));
  return place;
}

/** The words that make all of these, and print how many were made. */
export function planting(place: Place, plants: readonly Plant[], list: string): [string, ...string[]] {
  const lines = plants.map(({ way, folder, name }) => `${way}\t${folder}\t${name}\n`);
  place.file(`ws/${list}`, lines.join(""));
  return [PERL, "plant.pl", list];
}

/** The words that try every way to change what stands at these paths, and print those that work. */
export function attacking(place: Place, paths: readonly string[], list: string): [string, ...string[]] {
  place.file(`ws/${list}`, paths.map((path) => `${path}\n`).join(""));
  return [PERL, "attack.pl", list];
}

/** Where a plant is found, below the root. */
export function pathOf({ way, folder, name }: Plant): string {
  return `${folder}/${way === "case" ? name.toUpperCase() : name}`;
}

/** Whether anything stands there, or is found there by a link. */
export function isLive(place: Place, path: string): boolean {
  const at = join(place.ws, path);
  return (
    lstatSync(at, { throwIfNoEntry: false }) !== undefined ||
    statSync(at, { throwIfNoEntry: false }) !== undefined
  );
}

/** All that lies below a folder, with kinds, modes, times and contents. */
export function lookAt(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) return `${name}/ ${stats.mode}`;
      const content = stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8");
      return `${name} ${stats.mode} ${stats.mtimeMs} ${content}`;
    });
}

import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Copies a package of this checkout, with all that it depends on, into `node_modules` of a folder, as npm installs it. */
export function installCopy(name: string, folder: string): void {
  copyWithDependencies(name, ROOT, join(folder, "node_modules"));
}

/** Copies the product as npm installs it without optional packages, from its build. Returns its command. */
export function installOurselves(folder: string): string {
  const modules = join(folder, "node_modules");
  const own = join(modules, "cofferdam");
  mkdirSync(own, { recursive: true });
  for (const part of ["dist", "profiles", "package.json"])
    cpSync(join(ROOT, part), join(own, part), { recursive: true });
  for (const name of dependenciesOf(ROOT)) copyWithDependencies(name, ROOT, modules);
  return join(own, "dist/cli/main.js");
}

function copyWithDependencies(name: string, from: string, to: string, seen = new Set<string>()): void {
  const source = placeOf(name, from);
  if (seen.has(source)) return;
  seen.add(source);
  const target = join(to, relative(join(ROOT, "node_modules"), source));
  // A nested package came with the one around it.
  if (!existsSync(target)) cpSync(source, target, { recursive: true, verbatimSymlinks: true });
  for (const needed of dependenciesOf(source)) copyWithDependencies(needed, source, to, seen);
}

function dependenciesOf(folder: string): readonly string[] {
  return Object.keys(
    Manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).dependencies,
  );
}

/** Where Node finds a package from a folder: the nearest `node_modules` above that has it. */
function placeOf(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(place)) return place;
    if (folder === dirname(folder)) throw new Error(`${name} is not installed`);
  }
}

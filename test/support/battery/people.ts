import { spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { inject } from "vitest";

/** Somebody to run a supervisor as. */
export interface Person {
  readonly name: "root" | "an ordinary user";
  readonly uid: number;
  readonly gid: number;
  /** For `spawn`: empty for whoever runs the tests. */
  readonly runAs: { readonly uid?: number; readonly gid?: number };
}

const UID = process.getuid?.() ?? 0;
const GID = process.getgid?.() ?? 0;

/** An ordinary user: whoever runs the tests, or, when that is root, a number that has no account. */
export const ORDINARY: Person =
  UID === 0
    ? { name: "an ordinary user", uid: 1001, gid: 1001, runAs: { uid: 1001, gid: 1001 } }
    : { name: "an ordinary user", uid: UID, gid: GID, runAs: {} };

/** Whoever runs the tests. */
export const CALLER: Person = UID === 0 ? { name: "root", uid: 0, gid: 0, runAs: {} } : ORDINARY;

/** Everybody that a test can be run as from here: root only where the tests are root. */
export const PEOPLE: readonly Person[] = UID === 0 ? [CALLER, ORDINARY] : [ORDINARY];

/** A Node and a checkout that a person can read. */
export interface Checkout {
  readonly node: string;
  readonly folder: string;
}

const HERE: Checkout = { node: process.execPath, folder: join(import.meta.dirname, "../../..") };
let others: Checkout | null = null;

/** This checkout, or a copy of what runs of it where a folder above hides it from the person. */
export function checkoutFor(person: Person): Checkout {
  if (person.runAs.uid === undefined) return HERE;
  others ??= canRead(person, HERE) ? HERE : copyCheckout();
  return others;
}

function canRead(person: Person, { node, folder }: Checkout): boolean {
  const module = join(folder, "node_modules/zod/package.json");
  const script = `require("fs").accessSync(${JSON.stringify(module)}); require("fs").accessSync(${JSON.stringify(import.meta.filename)})`;
  return spawnSync(node, ["-e", script], { ...person.runAs, cwd: "/", env: {} }).status === 0;
}

/** The copy of this run of the tests: whichever file of tests needs it first makes it. */
function copyCheckout(): Checkout {
  const copied = join(inject("runFolder"), "checkout");
  const checkout = { node: join(copied, basename(HERE.node)), folder: copied };
  if (existsSync(copied)) return checkout;
  const folder = mkdtempSync(`${copied}-`);
  const copy = (name: string): void =>
    cpSync(join(HERE.folder, name), join(folder, name), { recursive: true, dereference: true });
  for (const name of ["package.json", "dist", "profiles"]) copy(name);
  for (const name of packages()) copy(`node_modules/${name}`);
  cpSync(HERE.node, join(folder, basename(HERE.node)));
  spawnSync("/bin/chmod", ["-R", "u=rwX,go=rX", folder]);
  try {
    renameSync(folder, copied);
  } catch {
    // Another file's was there first; this one goes with the run's folder.
  }
  return checkout;
}

/** The packages that the sources need to run, with all that these need and that is there. */
function packages(found: Set<string> = new Set(), from = HERE.folder): ReadonlySet<string> {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(from, "package.json"), "utf8"),
  ) as { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
    const folder = join(HERE.folder, "node_modules", name);
    if (found.has(name) || !existsSync(folder)) continue;
    found.add(name);
    packages(found, folder);
  }
  return found;
}

/** A folder in which Node keeps what it compiled for the person, in all of a run of the tests: it halves each start. */
export function compileCacheFor({ uid, gid }: Pick<Person, "uid" | "gid">): string {
  const folder = join(inject("runFolder"), `compiled-${uid}`);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, uid, gid);
  return folder;
}

/** The words that run a driver of `test/support/battery`, as it is bundled in a checkout. */
export function runFile({ node, folder }: Checkout, name: string): readonly [string, ...string[]] {
  return [node, join(folder, "dist/battery", name.replace(/ts$/, "js"))];
}

import { spawnSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll } from "vitest";

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
let copied: Checkout | null = null;

/** This checkout, or a copy of what runs of it where a folder above hides it from the person. */
export function checkoutFor(person: Person): Checkout {
  if (person.runAs.uid === undefined || canRead(person, HERE)) return HERE;
  copied ??= copyCheckout();
  return copied;
}

function canRead(person: Person, { node, folder }: Checkout): boolean {
  const module = join(folder, "node_modules/zod/package.json");
  const script = `require("fs").accessSync(${JSON.stringify(module)}); require("fs").accessSync(${JSON.stringify(import.meta.filename)})`;
  return spawnSync(node, ["-e", script], { ...person.runAs, cwd: "/", env: {} }).status === 0;
}

function copyCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-checkout-"));
  const copy = (name: string): void =>
    cpSync(join(HERE.folder, name), join(folder, name), { recursive: true, dereference: true });
  for (const name of ["package.json", "src", "dist", "profiles", "test/support/battery"]) copy(name);
  for (const name of packages()) copy(`node_modules/${name}`);
  cpSync(HERE.node, join(folder, basename(HERE.node)));
  spawnSync("/bin/chmod", ["-R", "u=rwX,go=rX", folder]);
  return { node: join(folder, basename(HERE.node)), folder };
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

const caches = new Map<number, string>();

afterAll(() => {
  for (const folder of [...caches.values(), ...(copied === null ? [] : [copied.folder])])
    rmSync(folder, { recursive: true, force: true });
  caches.clear();
  copied = null;
});

/** A folder in which Node keeps what it compiled for the person, while this process lives: it halves the start of the next one. */
export function compileCacheFor({ uid, gid }: Person): string {
  const known = caches.get(uid);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-compiled-"));
  if (uid !== UID) chownSync(folder, uid, gid);
  caches.set(uid, folder);
  return folder;
}

/** The words that run a file of `test/support/battery` of a checkout. */
export function runFile({ node, folder }: Checkout, name: string): readonly [string, ...string[]] {
  return [node, "--disable-warning=ExperimentalWarning", join(folder, "test/support/battery", name)];
}

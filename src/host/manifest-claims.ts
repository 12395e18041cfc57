import { posix } from "node:path";
import { OURSELVES } from "../profile/executed.ts";

/** Names under which a package manager starts us, or a program imports us. */
const NAMES = [OURSELVES, "node"];

/** Package managers run each script between two others (https://docs.npmjs.com/cli/using-npm/scripts#pre--post-scripts). */
const SCRIPTS = NAMES.flatMap((name) => [name, `pre${name}`, `post${name}`]);

/** What a manifest says of our names, each in words that tell one from another. */
export function claimsIn(manifest: unknown): ReadonlySet<string> {
  const field = (name: string): unknown => fieldOf(manifest, name);
  const written = field("name");
  const name = typeof written === "string" ? written.trim() : "";
  const commands = commandsIn(field("bin"), name);
  const scripts = field("scripts");
  const folder = fieldOf(field("directories"), "bin");
  const claims = [
    // `npx` runs the only command of a package of this name, whatever it is called.
    ...(NAMES.includes(name) ? [["name", name, field("exports"), field("main"), field("bin")]] : []),
    ...commands.filter(([command]) => NAMES.includes(command)).map((one) => ["bin", ...one]),
    ...SCRIPTS.map((script) => ["scripts", script, fieldOf(scripts, script)]).filter(isSaid),
    ...[["directories", folder]].filter(isSaid),
  ];
  return new Set(claims.map((one) => JSON.stringify(one)));
}

function isSaid(claim: readonly unknown[]): boolean {
  return claim.at(-1) !== undefined;
}

/** The commands of a package with what each runs, by every name that some package manager gives it. */
function commandsIn(bin: unknown, name: string): readonly (readonly [string, unknown])[] {
  const written = typeof bin === "string" ? [[name, bin] as const] : pairsIn(bin);
  return written.flatMap(([key, value]) =>
    [...new Set(namesMadeOf(key))].map((command) => [command, value] as const),
  );
}

/** npm takes a list for commands that are called as their files are. */
function pairsIn(bin: unknown): readonly (readonly [string, unknown])[] {
  if (typeof bin !== "object" || bin === null) return [];
  if (!Array.isArray(bin)) return Object.entries(bin);
  return bin.filter((file) => typeof file === "string").map((file) => [file, file]);
}

/**
 * npm takes the last part of a name, and so does Bun; it did so before it resolved `..` and does so after it by now
 * (https://github.com/npm/npm-normalize-package-bin, https://github.com/npm/package-json, `lib/normalize.js`). pnpm and Yarn take
 * a scope off, which comes to the same. Some disks take two names for one that differ in case.
 */
function namesMadeOf(key: string): readonly string[] {
  const path = key.replace(/[\\:]/g, "/").toLowerCase();
  return [posix.basename(posix.join("/", path)), posix.basename(path)];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

import { posix } from "node:path";
import { sha256 } from "../../profile/digest.ts";
import { OURSELVES } from "../../profile/executed.ts";
import { STARTED_BEFORE_US } from "./installation/path-folders.ts";

/** Names under which a package manager starts us, or a program imports us. */
const NAMES = [OURSELVES, "node"];

/** Commands that are started under our name, or before us, where a package manager installs them. */
const COMMANDS = [OURSELVES, ...STARTED_BEFORE_US];

/** Package managers run scripts between two others (https://docs.npmjs.com/cli/using-npm/scripts#pre--post-scripts). */
const SCRIPTS = NAMES.flatMap((name) => [name, `pre${name}`, `post${name}`]);

/** Names of manifests: pnpm reads the others without a `package.json` (https://pnpm.io/package_json). */
const MANIFEST = /^package\.(?:json5?|yaml)$/i;
const IS_MORE = /\.(?:json5|yaml)$/i;
const LONGEST = "package.json5".length;

/** True for the name of a manifest. Case does not count, as some file systems ignore it. */
export function isManifest(name: string): boolean {
  return name.length <= LONGEST && MANIFEST.test(name);
}

/** The claims of a manifest's file to our names. */
export function claimsOfFile(name: string, bytes: Buffer): ReadonlySet<string> {
  const manifest = IS_MORE.test(name) ? null : plainJson(bytes.toString("utf8").replace(/^\u{feff}/u, ""));
  return manifest === null ? claimsInText(bytes) : claimsIn(manifest.value);
}

/** JSON that all package managers read alike; null for any other text. */
function plainJson(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    // Of two fields of one name Bun takes the first, and others take the last.
    return fieldsIn(text) === fieldsIn(JSON.stringify(value)) ? { value } : null;
  } catch {
    return null;
  }
}

function fieldsIn(json: string): number {
  let fields = 0;
  for (const [, colon] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g)) if (colon === ":") fields += 1;
  return fields;
}

/** Words by which a text may name us, or a folder of commands. Node's name is left out: it stands in most manifests. */
const NAMED = /cofferdam|directories/i;

/** Escapes that stand for marks and white space alone. */
const PLAIN_ESCAPES = /\\["'\\/bfnrt]/g;

/** Any other escape, and tags of YAML: by these a text may hide words. */
const HIDES = /\\|!!|!<|%TAG/;

/**
 * The claims of a text that some package manager reads, but not this code: YAML, JSON5, and Bun's JSON, with comments
 * and in UTF-16 (https://github.com/oven-sh/bun/pull/10287). One that may name us claims something new at each change.
 */
function claimsInText(bytes: Buffer): ReadonlySet<string> {
  const text = bytes.toString("latin1").replaceAll("\0", "");
  const mayName = NAMED.test(text) || HIDES.test(text.replace(PLAIN_ESCAPES, ""));
  return new Set(mayName ? [`text ${sha256(bytes)}`] : []);
}

/** The claims of a manifest to our names, each in words that distinguish it. */
export function claimsIn(manifest: unknown): ReadonlySet<string> {
  const field = (name: string): unknown => fieldOf(manifest, name);
  const written = field("name");
  const name = typeof written === "string" ? written.trim() : "";
  const commands = commandsIn(field("bin"), name);
  const scripts = field("scripts");
  const folder = fieldOf(field("directories"), "bin");
  const claims = [
    // For a package of this name, `npx` runs its only command, even under another name.
    ...(NAMES.includes(name) ? [["name", name, field("exports"), field("main"), field("bin")]] : []),
    ...commands.filter(([command]) => COMMANDS.includes(command)).map((one) => ["bin", ...one]),
    ...SCRIPTS.map((script) => ["scripts", script, fieldOf(scripts, script)]).filter(isSaid),
    ...[["directories", folder]].filter(isSaid),
  ];
  return new Set(claims.map((one) => JSON.stringify(one)));
}

function isSaid(claim: readonly unknown[]): boolean {
  return claim.at(-1) !== undefined;
}

/** The commands of a package with the file of each, by every name that some package manager gives it. */
function commandsIn(bin: unknown, name: string): readonly (readonly [string, unknown])[] {
  const written = typeof bin === "string" ? [[name, bin] as const] : pairsIn(bin);
  return written.flatMap(([key, value]) =>
    [...new Set(namesMadeOf(key))].map((command) => [command, value] as const),
  );
}

/** npm takes a list for commands that are named after their files. */
function pairsIn(bin: unknown): readonly (readonly [string, unknown])[] {
  if (typeof bin !== "object" || bin === null) return [];
  if (!Array.isArray(bin)) return Object.entries(bin);
  return bin.filter((file) => typeof file === "string").map((file) => [file, file]);
}

/**
 * npm takes the last part of a name, and so does Bun; npm did so before it resolved `..` and does so after it by now
 * (https://github.com/npm/npm-normalize-package-bin, https://github.com/npm/package-json, `lib/normalize.js`). pnpm and
 * Yarn remove a scope, with the same result. Some disks take two names for one that differ in case.
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

import { lstatSync, statSync } from "node:fs";
import { z } from "zod";
import type { Launcher } from "../../backend/facts.ts";
import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, isInside, joinPath, parentOf, upwards } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { realPathOf, statsOf } from "../look/nodes.ts";
import { readPlainText } from "../look/plain-file.ts";
import { orNull } from "../or-null.ts";
import { ask } from "./spawn.ts";
import { remember } from "./state-files.ts";

/** The lowest bubblewrap that has every option a plan can't do without (`--perms`, `--clearenv`: 0.5.0, 2021). */
const NEEDED = [
  "args",
  "die-with-parent",
  "new-session",
  "cap-drop",
  "perms",
  "clearenv",
  "remount-ro",
  "seccomp",
  "unshare-user",
] as const;

/**
 * Finds the sandbox program and asks it for its abilities. Helpers are never looked up in PATH: only in the host's
 * helper folders. Root must own them and every folder above, no others may write there, and they are not setuid. No
 * tool can change them: they lie in no `writable` root. The answer is taken from the state folder if it is remembered;
 * `read` writes nothing there. Throws `SANDBOX_UNAVAILABLE`.
 */
export async function findLauncher(
  host: Host,
  memory: "remember" | "read" = "remember",
  writable: readonly AbsolutePath[] = [],
): Promise<Launcher> {
  const path = findHelper(
    host,
    "bwrap",
    writable,
    "install it: apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap",
  );
  const shell = findShell(host, writable);
  const { version, options } = await abilitiesOf(path, host.stateFolder, memory);
  const missing = NEEDED.filter((option) => !options.has(option));
  if (missing.length > 0)
    throw unavailable(`${path} has no --${missing.join(", --")}`, "install bubblewrap 0.5 or newer");
  return { path, version, options, shell, perl: fitHelper(host, "perl", writable) };
}

const Abilities = z.strictObject({ key: z.string(), version: z.string(), options: z.array(z.string()) });

/** Maximum of bytes of any launcher's answer. */
const MAX_BYTES = 65_536;

async function abilitiesOf(
  path: AbsolutePath,
  stateFolder: AbsolutePath,
  memory: "remember" | "read",
): Promise<Pick<Launcher, "version" | "options">> {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  const key = [path, dev, ino, size, mtimeMs, ctimeMs].join(" ");
  const file = joinPath(stateFolder, "launcher.json");
  const known = orNull(() => Abilities.parse(JSON.parse(readPlainText(file, MAX_BYTES) ?? "")));
  if (known?.key === key) return { version: known.version, options: new Set(known.options) };
  const [help, version] = await Promise.all([ask(path, ["--help"]), ask(path, ["--version"])]);
  // Never remembered: it may fail for lack of memory, and succeed another time.
  if (help.status !== 0 || version.status !== 0)
    throw unavailable(`\`${path} --help\` does not list its options`, `run \`${path} --help\` to see why`);
  const abilities = {
    key,
    version: /\d+(\.\d+)+/.exec(version.stdout)?.[0] ?? "unknown",
    options: [...help.stdout.matchAll(/^\s+--([a-z][a-z0-9-]*)/gm)].map((match) => match[1] ?? ""),
  };
  if (memory === "remember" && statsOf(stateFolder) !== null) remember(file, JSON.stringify(abilities));
  return { version: abilities.version, options: new Set(abilities.options) };
}

/** The absolute path of a helper that is fit to be started with our rights. Throws `SANDBOX_UNAVAILABLE`. */
export function findHelper(
  host: Host,
  name: string,
  writable: readonly AbsolutePath[] = [],
  remedy = "reinstall it: every system has it",
): AbsolutePath {
  const { fit, unfit } = lookForHelper(host, name, writable);
  if (fit !== null) return fit;
  if (unfit !== null)
    throw unavailable(
      unfit,
      "root must own the helper and its folders, only root may write them, no root may contain it, and it may not be setuid",
    );
  throw unavailable(`${name} is not installed; searched: ${host.helperFolders.join(", ")}`, remedy);
}

/** The same for an optional helper; null if none is fit. */
export function fitHelper(
  host: Host,
  name: string,
  writable: readonly AbsolutePath[] = [],
): AbsolutePath | null {
  return lookForHelper(host, name, writable).fit;
}

function lookForHelper(
  host: Host,
  name: string,
  writable: readonly AbsolutePath[],
): { readonly fit: AbsolutePath | null; readonly unfit: string | null } {
  let unfit: string | null = null;
  for (const folder of host.helperFolders) {
    const path = joinPath(folder, name);
    const real = realPathOf(path);
    if (real === null) continue;
    const reason =
      unfitness(real, false, GAINING.has(name)) ??
      unfitness(path, true) ??
      reachability(path, real, writable);
    if (reason === null) return { fit: real, unfit };
    unfit ??= `${path} ${reason}`;
  }
  return { fit: null, unfit };
}

/** Helpers to which a system may give root's rights, and which only report: ps(1) on macOS. */
const GAINING: ReadonlySet<string> = new Set(["ps"]);

/** Why a file may not be started as a helper, or null. `foldersOnly` for the path before its links were resolved. */
export function unfitness(path: AbsolutePath, foldersOnly = false, mayGainRights = false): string | null {
  for (const at of upwards(foldersOnly ? parentOf(path) : path)) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return "does not exist";
    if (stats.uid !== 0) return at === path ? "is not owned by root" : `is in ${at}, which root does not own`;
    const isSticky = (stats.mode & 0o1000) !== 0;
    if ((stats.mode & 0o022) !== 0 && !stats.isSymbolicLink() && !isSticky)
      return at === path
        ? "can be written by users other than root"
        : `is in ${at}, which users other than root can write`;
    if (at !== path || foldersOnly) continue;
    if (!mayGainRights && (stats.mode & 0o6000) !== 0) return "is setuid";
    if (!stats.isFile()) return "is not a file";
  }
  return null;
}

/** The place where tools could change a helper, by its own name or by a path that leads to it; null if they can't. */
function reachability(
  path: AbsolutePath,
  real: AbsolutePath,
  writable: readonly AbsolutePath[],
): string | null {
  const root = writable.find((one) => isInside(path, one) || isInside(real, one));
  return root === undefined ? null : `is in ${root}, which tools can write`;
}

/** The shell of the start program and of the helper that makes pipes: the system's `sh`, by its path inside. */
export function findShell(host: Host, writable: readonly AbsolutePath[]): AbsolutePath {
  for (const folder of host.helperFolders) {
    const path = joinPath(folder, "sh");
    const real = realPathOf(path);
    if (
      real !== null &&
      unfitness(real) === null &&
      unfitness(path, true) === null &&
      reachability(path, real, writable) === null &&
      statsOf(path) !== null
    )
      return path;
  }
  throw unavailable("no `sh` that root owns is in the system folders", "install a POSIX shell");
}

function unavailable(message: string, hint: string): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint });
}

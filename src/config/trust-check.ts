import { hash } from "node:crypto";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type AbsolutePath, isInside, joinPath, parentOf } from "../profile/path.ts";
import type { Assembled, ConfigSource } from "./assemble.ts";
import type { Config } from "./config.ts";
import { CONFIG_NAME } from "./locate.ts";
import type { ProfileReader, ProfileSource } from "./operator-profile.ts";
import { type Naming, type ReadFile, readPinned } from "./safe-file.ts";
import { readShipped } from "./shipped.ts";
import { readTrust, type TrustEntry } from "./trust-file.ts";
import { fileStart } from "./yaml.ts";

/** Why a config that was found may not be used: it was never trusted, or the named part of it is another one now. */
export type Distrust = "never" | `changed: ${string}`;

/** Whether a config is trusted as it is now. */
export type TrustCheck = { readonly trusted: true } | { readonly trusted: false; readonly reason: Distrust };

const NAMING: Naming = { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null };
/** Stands before the name of a shipped profile where files are labelled. */
const SHIPPED = "shipped ";

/**
 * Whether the file and all that it names are as they were when they were trusted. Throws nothing: what cannot be read
 * has changed. Where links lead is looked at when the config is loaded.
 */
export function isTrusted(host: Host, path: string): TrustCheck {
  const { entries } = readTrust(host);
  try {
    const file = readPinned(path, NAMING);
    return checkTrust(entries.get(file.path), file);
  } catch {
    return entries.has(path) ? changed(CONFIG_NAME) : { trusted: false, reason: "never" };
  }
}

/** Holds a file and all that it names against what is remembered of it. */
export function checkTrust(entry: TrustEntry | undefined, file: ReadFile): TrustCheck {
  const own = checkOwn(entry, file);
  if (!own.trusted || entry === undefined) return own;
  const folder = parentOf(file.path);
  const stale = Object.entries(entry.files).find(([label, digest]) => digestAt(label, folder) !== digest);
  return stale === undefined ? own : changed(stale[0]);
}

/**
 * Loads a config that was found, if it is trusted: every file is held against its digest before it is parsed, every
 * root against where it led. Throws `CONFIG_UNTRUSTED`, and what `assemble` throws.
 */
export function assembleTrusted(
  host: Host,
  path: AbsolutePath,
  assembleFrom: (source: ConfigSource) => Assembled,
): Assembled {
  const file = readPinned(path, NAMING);
  const { entries, problem } = readTrust(host);
  const entry = entries.get(file.path);
  const own = checkOwn(entry, file);
  if (!own.trusted) throw untrusted(file.path, own.reason, problem);
  const readProfile = digestingReader(parentOf(file.path), (label, digest) => {
    if (entry?.files[label] !== digest) throw untrusted(file.path, `changed: ${label}`, problem);
  });
  const assembled = assembleFrom({ origin: { kind: "trusted", file: file.path }, file, readProfile });
  const [before, now] = [entry?.places ?? {}, placesOf(assembled.loaded.config)];
  const moved = Object.keys({ ...before, ...now }).find((name) => before[name] !== now[name]);
  if (moved !== undefined) throw untrusted(file.path, `changed: where ${moved} leads`, problem);
  return assembled;
}

/**
 * Reads the profiles that a config names, whoever could write them, and tells the label and digest of each before it is
 * parsed. A label is `shipped NAME`, a path within the config's folder, or a whole path.
 */
export function digestingReader(
  folder: AbsolutePath,
  tell: (label: string, digest: string) => void,
): ProfileReader {
  return (source, naming) => {
    const file =
      source.kind === "shipped" ? readShipped(source.name, naming) : readPinned(source.path, naming);
    tell(labelOf(source, file.path, folder), digestOf(file.bytes));
    return file;
  };
}

/** Where the roots and the folders listed by hand lead: a link on the way can change that, and no file changes. */
export function placesOf({ sandbox, roots, runtimes }: Config): Record<string, string> {
  const byHand = sandbox.runtimes.flatMap((one) => (typeof one === "string" ? [] : [one.name]));
  const ofRoots = roots.map((root) => [`root ${root.name}`, root.path] as const);
  const ofRuntimes = runtimes.flatMap((runtime) =>
    byHand.includes(runtime.name) ? [[`runtime ${runtime.name}`, runtime.read.join(":")] as const] : [],
  );
  return Object.fromEntries<string>([...ofRoots, ...ofRuntimes]);
}

/** SHA-256 in hex. */
export function digestOf(data: Uint8Array | string): string {
  return hash("sha256", data);
}

function checkOwn(entry: TrustEntry | undefined, file: ReadFile): TrustCheck {
  if (entry === undefined) return { trusted: false, reason: "never" };
  if (entry.uid !== file.uid) return changed("its owner");
  if (entry.folder !== parentOf(file.path)) return changed("its folder");
  return entry.digest === digestOf(file.bytes) ? { trusted: true } : changed(CONFIG_NAME);
}

function changed(what: string): TrustCheck {
  return { trusted: false, reason: `changed: ${what}` };
}

function untrusted(path: AbsolutePath, reason: Distrust, problem: CofferdamError | null): CofferdamError {
  const what =
    reason === "never"
      ? "was found, but this user has not trusted it"
      : `is not as it was when it was trusted (${reason})`;
  const broken = problem === null ? "" : `: ${problem.message}`;
  return new CofferdamError("CONFIG_UNTRUSTED", `${visible(path)} ${what}${broken}`, {
    hint:
      problem?.hint ??
      "run `cofferdam trust` to see what it would grant, or name another config with `--config`",
    at: fileStart(path),
  });
}

function labelOf(source: ProfileSource, path: AbsolutePath, folder: AbsolutePath): string {
  if (source.kind === "shipped") return `${SHIPPED}${source.name}`;
  return isInside(path, folder) ? path.slice(folder.length).replace(/^\//, "") : path;
}

function digestAt(label: string, folder: AbsolutePath): string | null {
  try {
    if (label.startsWith(SHIPPED)) return digestOf(readShipped(label.slice(SHIPPED.length), NAMING).bytes);
    return digestOf(readPinned(label.startsWith("/") ? label : joinPath(folder, label), NAMING).bytes);
  } catch {
    return null;
  }
}

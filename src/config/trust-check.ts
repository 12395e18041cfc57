import { CofferdamError, visible } from "../errors.ts";
import { problemOfState } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { sha256 } from "../profile/digest.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, parentOf } from "../profile/path.ts";
import type { Assembled, ConfigSource } from "./assemble.ts";
import type { Config, LoadedConfig, ReviewerPlace } from "./config.ts";
import { CONFIG_NAME } from "./locate.ts";
import { realPath } from "./operator-path.ts";
import type { ProfileReader, ProfileSource } from "./operator-profile.ts";
import { writtenPath } from "./roots.ts";
import { type Naming, type ReadFile, readPinned } from "./safe-file.ts";
import { readShipped } from "./shipped.ts";
import { readTrust, type TrustEntry, type TrustedPlace } from "./trust-file.ts";
import { fileStart } from "./yaml.ts";

/** Why a config that was found may not be used: it was never trusted, or the named part of it has changed. */
export type Distrust = "never" | `changed: ${string}`;

/** Whether a config is trusted in its present state. */
export type TrustCheck = { readonly trusted: true } | { readonly trusted: false; readonly reason: Distrust };

const NAMING: Naming = { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null };
/** Prefix of a shipped profile's name in labels of files. */
const SHIPPED = "shipped ";

/** Whether a remembered config is unchanged. Throws nothing: an unreadable file counts as changed. */
export function isStillTrusted(entry: TrustEntry): TrustCheck {
  try {
    return checkTrust(entry, readPinned(entry.path, NAMING));
  } catch {
    return changed(CONFIG_NAME);
  }
}

/** Checks a file, all that it names and its folders' targets; `assembleTrusted` does so for the config itself. */
export function checkTrust(entry: TrustEntry | null, file: ReadFile, config?: Config): TrustCheck {
  const own = checkOwn(entry, file);
  if (!own.trusted || entry === null) return own;
  const folder = parentOf(file.path);
  const stale = Object.entries(entry.files).find(([label, digest]) => digestAt(label, folder) !== digest);
  if (stale !== undefined) return changed(stale[0]);
  const moved = config === undefined ? movedSince(entry) : movedPlace(entry, config);
  if (moved !== null) return changed(whereLeads(moved));
  return config === undefined || isKnownReviewer(config.reviewer, entry)
    ? own
    : changed("the reviewer's program");
}

/** Loads a trusted config: files are checked before parsing. Throws `CONFIG_UNTRUSTED`, and as `assemble` does. */
export function assembleTrusted(
  host: Host,
  path: AbsolutePath,
  assembleFrom: (source: ConfigSource) => Assembled,
): Assembled {
  const file = readPinned(path, NAMING);
  const { entry, problem } = readTrust(host, file.path);
  const own = checkOwn(entry, file);
  // If nothing can be remembered, trusting it again would not help.
  if (!own.trusted) throw untrusted(file.path, own.reason, problem ?? problemOfState(host));
  const readProfile = digestingReader(parentOf(file.path), (label, digest) => {
    if (entry?.files[label] !== digest) throw untrusted(file.path, `changed: ${label}`, problem);
  });
  const assembled = assembleFrom({ origin: { kind: "trusted", file: file.path }, file, readProfile });
  const moved = entry === null ? null : movedPlace(entry, assembled.loaded.config);
  if (moved !== null) throw untrusted(file.path, `changed: ${whereLeads(moved)}`, problem);
  return withKnownReviewer({ ...assembled, loaded: withRecord(assembled.loaded, entry, file) }, entry);
}

/** A loaded config with its trust record. */
export function withRecord(loaded: LoadedConfig, entry: TrustEntry | null, file: ReadFile): LoadedConfig {
  const record = entry === null ? null : recordDigest(entry);
  return { ...loaded, trust: { record, isTrusted: checkTrust(entry, file, loaded.config).trusted } };
}

/** SHA-256 of the remembered state, whenever it was remembered. */
export function recordDigest({ digest, files, places }: TrustEntry): string {
  return sha256(JSON.stringify([digest, files, places]));
}

/** The setting of a trusted config that holds the digest of its reviewer. */
export const REVIEWER_SETTING = "the program of approval.reviewer";

function isKnownReviewer(reviewer: ReviewerPlace | null, entry: TrustEntry | null): boolean {
  return reviewer === null || entry?.settings[REVIEWER_SETTING] === reviewer.digest;
}

/** A reviewer whose files changed since the config was trusted is marked: the config still applies, without it. */
function withKnownReviewer(assembled: Assembled, entry: TrustEntry | null): Assembled {
  const { loaded } = assembled;
  const { reviewer } = loaded.config;
  if (reviewer === null || isKnownReviewer(reviewer, entry)) return assembled;
  const config = { ...loaded.config, reviewer: { ...reviewer, isChanged: true } };
  const note = "the reviewer changed after the config was trusted: run `cofferdam trust` to use it";
  return { ...assembled, loaded: { ...loaded, config, notes: [...loaded.notes, note] } };
}

/**
 * Reads a config's profiles and reports each one's digest before it is parsed. The label is `shipped NAME` or a path.
 */
export function digestingReader(
  folder: AbsolutePath,
  report: (label: string, digest: string) => void,
): ProfileReader {
  return (source, naming) => {
    const file =
      source.kind === "shipped" ? readShipped(source.name, naming) : readPinned(source.path, naming);
    report(labelOf(source, file.path, folder), sha256(file.bytes));
    return file;
  };
}

/** The targets of roots and other folders: a link on the way can change them without a change of any file. */
export function placesOf({
  sandbox,
  roots,
  runtimes,
  journal,
  workspace,
}: Config): Record<string, TrustedPlace> {
  const place = (leads: string, written: readonly string[]): TrustedPlace => {
    const paths = written.map((text) => writtenPath(text, workspace));
    return { leads, from: Object.fromEntries(paths.map((path) => [path, realPath(path)])) };
  };
  const ofRoots = roots.map(({ name, path }): [string, TrustedPlace] => [
    `root ${name}`,
    place(path, [sandbox.paths[name]?.root ?? path]),
  ]);
  const ofRuntimes = sandbox.runtimes.flatMap((asked): [string, TrustedPlace][] => {
    if (typeof asked === "string") return [];
    const leads = runtimes.filter(({ name }) => name === asked.name).flatMap(({ read }) => read);
    return [[`runtime ${asked.name}`, place(leads.join(":"), asked.read)]];
  });
  const { folder, written } = journal;
  const ofJournal: readonly [string, TrustedPlace][] =
    folder === null || written === null ? [] : [["the journal", place(folder, [written])]];
  return Object.fromEntries<TrustedPlace>([...ofRoots, ...ofRuntimes, ...ofJournal]);
}

/** The name of a place that is new or has another target since the config was trusted. */
function movedPlace({ places }: TrustEntry, config: Config): string | null {
  const now = placesOf(config);
  const names = Object.keys({ ...places, ...now });
  return names.find((name) => places[name]?.leads !== now[name]?.leads) ?? null;
}

/** The same without the config: a written path with another target than when it was trusted. */
function movedSince({ places }: TrustEntry): string | null {
  const hasMoved = ({ from }: TrustedPlace): boolean =>
    Object.entries(from).some(([written, real]) => !isAbsolutePath(written) || realPath(written) !== real);
  return Object.entries(places).find(([, place]) => hasMoved(place))?.[0] ?? null;
}

function whereLeads(place: string): string {
  return `where ${place} leads`;
}

function checkOwn(entry: TrustEntry | null, file: ReadFile): TrustCheck {
  if (entry === null) return { trusted: false, reason: "never" };
  if (entry.uid !== file.uid) return changed("its owner");
  if (entry.folder !== parentOf(file.path)) return changed("its folder");
  return entry.digest === sha256(file.bytes) ? { trusted: true } : changed(CONFIG_NAME);
}

function changed(what: string): TrustCheck {
  return { trusted: false, reason: `changed: ${what}` };
}

function untrusted(path: AbsolutePath, reason: Distrust, problem: CofferdamError | null): CofferdamError {
  const what = reason === "never" ? "is not trusted yet" : `changed after it was trusted (${reason})`;
  const broken = problem === null ? "" : `: ${problem.message}`;
  return new CofferdamError("CONFIG_UNTRUSTED", `${visible(path)} ${what}${broken}`, {
    hint: problem?.hint ?? "run `cofferdam trust` to review it, or use another config with `--config`",
    at: fileStart(path),
  });
}

function labelOf(source: ProfileSource, path: AbsolutePath, folder: AbsolutePath): string {
  if (source.kind === "shipped") return `${SHIPPED}${source.name}`;
  return isInside(path, folder) ? path.slice(folder.length).replace(/^\//, "") : path;
}

function digestAt(label: string, folder: AbsolutePath): string | null {
  try {
    if (label.startsWith(SHIPPED)) return sha256(readShipped(label.slice(SHIPPED.length), NAMING).bytes);
    return sha256(readPinned(label.startsWith("/") ? label : joinPath(folder, label), NAMING).bytes);
  } catch {
    return null;
  }
}

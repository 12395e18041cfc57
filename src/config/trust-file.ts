import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import { printFailure, readPinned } from "./safe-file.ts";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** What is remembered of one config, under the real path of its file. */
export const TrustEntry = z.strictObject({
  /** Real path of the folder it lies in. */
  folder: z.string(),
  /** Who owned the file. */
  uid: z.int().min(0),
  /** SHA-256 of the bytes that were parsed. */
  digest: Digest,
  /** The same of every profile that it names, by `labelOf`. */
  files: z.record(z.string(), Digest),
  /** Where its roots and the folders of its runtimes led. */
  places: z.record(z.string(), z.string()),
  /** What it granted, as `printProfile` writes it. */
  granted: z.strictObject({ unasked: z.string(), onYes: z.string() }),
  /** SHA-256 of each setting that is no profile. */
  settings: z.record(z.string(), Digest),
  /** When, in milliseconds since 1970. */
  at: z.number(),
});
export type TrustEntry = z.infer<typeof TrustEntry>;

const TrustFile = z.strictObject({ version: z.literal(1), configs: z.record(z.string(), TrustEntry) });

/** What this user has trusted. `problem` says why the file could not be used; then nothing is trusted. */
export interface TrustMemory {
  readonly entries: ReadonlyMap<string, TrustEntry>;
  readonly problem: CofferdamError | null;
}

/** Reads `trust.json` of the state folder. A missing one trusts nothing; so does one that is broken or not the caller's alone. */
export function readTrust(host: Host): TrustMemory {
  try {
    const path = trustPath(host);
    if (!isThere(host.stateFolder)) return { entries: new Map(), problem: null };
    assertOwn(host, host.stateFolder);
    if (!isThere(path)) return { entries: new Map(), problem: null };
    assertOwn(host, path);
    const { bytes } = readPinned(path, { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null });
    return { entries: new Map(Object.entries(parsed(bytes, path))), problem: null };
  } catch (error) {
    if (error instanceof CofferdamError) return { entries: new Map(), problem: error };
    const problem = new CofferdamError(
      "CONFIG_INVALID",
      `the state folder ${printFailure(error)}, so nothing is trusted`,
      { hint: "look at who owns it", cause: error },
    );
    return { entries: new Map(), problem };
  }
}

/**
 * Writes `trust.json` in one step: a reader sees the old file or the new one. Throws `CONFIG_INVALID` when the state
 * folder cannot be written or is not the caller's alone.
 */
export function writeTrust(host: Host, entries: ReadonlyMap<string, TrustEntry>): void {
  const path = trustPath(host);
  const beside = joinPath(host.stateFolder, `trust.${host.id()}.tmp`);
  try {
    mkdirSync(host.stateFolder, { recursive: true, mode: 0o700 });
    assertOwn(host, host.stateFolder);
    const descriptor = openSync(beside, "wx", 0o600);
    try {
      chmodSync(beside, 0o600);
      writeSync(
        descriptor,
        `${JSON.stringify({ version: 1, configs: Object.fromEntries(entries) }, null, 2)}\n`,
      );
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    if (error instanceof CofferdamError) throw error;
    throw new CofferdamError("CONFIG_INVALID", `${visible(path)} cannot be written: ${printFailure(error)}`, {
      hint: "look at who owns the state folder",
      cause: error,
    });
  }
}

function trustPath(host: Host): AbsolutePath {
  return joinPath(host.stateFolder, "trust.json");
}

function parsed(bytes: Uint8Array, path: AbsolutePath): z.infer<typeof TrustFile>["configs"] {
  const broken = (cause: unknown): CofferdamError =>
    new CofferdamError("CONFIG_INVALID", `${visible(path)} is broken, so nothing is trusted`, {
      hint: `remove it and trust again: ${quote(["rm", path])}`,
      cause,
    });
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw broken(error);
  }
  const read = TrustFile.safeParse(data);
  if (!read.success) throw broken(read.error);
  return read.data.configs;
}

function isThere(path: AbsolutePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** What nobody but its owner can look into or change; another user can make nothing that passes. */
function assertOwn(host: Host, path: AbsolutePath): void {
  const stats = lstatSync(path);
  if (stats.uid === host.user.uid && !stats.isSymbolicLink() && (stats.mode & 0o077) === 0) return;
  const hint =
    stats.uid === host.user.uid && !stats.isSymbolicLink()
      ? `run ${quote(["chmod", "go-rwx", path])}`
      : `move it away: ${quote(["mv", path, `${path}.old`])}`;
  throw new CofferdamError(
    "CONFIG_INVALID",
    `${visible(path)} is not this user's alone, so nothing in it is trusted`,
    { hint },
  );
}

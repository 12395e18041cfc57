import { readdirSync } from "node:fs";
import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { OTHER_STATE, problemOfState } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { StoreSetting } from "../policy/approval-channels.ts";
import { sha256 } from "../profile/digest.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import { assertOwn, changing, isThere, removePrivate, writePrivate } from "./private-file.ts";
import { printFailure, readPinned } from "./safe-file.ts";
import { TrustedRules } from "./trusted-rules.ts";
import { MAX_BYTES } from "./yaml.ts";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** The target of a root or of a runtime's folders: the granted folders, and each written path with its real one. */
const TrustedPlace = z.strictObject({ leads: z.string(), from: z.record(z.string(), z.string()) });
export type TrustedPlace = z.infer<typeof TrustedPlace>;

/** The remembered state of one config. */
export const TrustEntry = z.strictObject({
  version: z.literal(2),
  path: z.string(),
  folder: z.string(),
  uid: z.int().min(0),
  /** SHA-256 of the bytes that were parsed. */
  digest: Digest,
  /** The same for every profile that it names, by `labelOf`. */
  files: z.record(z.string(), Digest),
  places: z.record(z.string(), TrustedPlace),
  /** Its granted profiles, as `printProfile` writes them. */
  granted: z.strictObject({ unasked: z.string(), onYes: z.string() }),
  /** SHA-256 of each setting that is not a profile. */
  settings: z.record(z.string(), Digest),
  /** The place of the approval store that the config names. */
  store: StoreSetting.optional(),
  /** Its rules; missing if they are too many. */
  rules: TrustedRules.optional(),
  /** Time of the trust, in milliseconds since 1970. */
  at: z.number(),
});
export type TrustEntry = z.infer<typeof TrustEntry>;

/** This user's trust in one config. `problem` says why it could not be read; then the config is not trusted. */
export interface TrustMemory {
  readonly entry: TrustEntry | null;
  readonly problem: CofferdamError | null;
}

/** All configs that this user has trusted; `problem` is the first failure to read one, or all. */
export interface EveryTrust {
  readonly entries: readonly TrustEntry[];
  readonly problem: CofferdamError | null;
}

/** Reads the remembered state of the config with this real path. A missing, broken or shared memory means no trust. */
export function readTrust(host: Host, path: string): TrustMemory {
  return guarded<TrustMemory>({ entry: null }, () => {
    const file = trustPath(host, path);
    if (!isOwnAndThere(host) || !isThere(file)) return { entry: null, problem: null };
    return { entry: entryAt(host, file, path), problem: null };
  });
}

/** Every config that is remembered, by path. */
export function everyTrust(host: Host): EveryTrust {
  return guarded<EveryTrust>({ entries: [] }, () => {
    if (!isOwnAndThere(host)) return { entries: [], problem: null };
    const folder = trustFolder(host);
    const read = readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) =>
        guarded<TrustMemory>({ entry: null }, () => ({
          entry: entryAt(host, joinPath(folder, name)),
          problem: null,
        })),
      );
    return {
      entries: read.flatMap(({ entry }) => entry ?? []).sort((a, b) => (a.path < b.path ? -1 : 1)),
      problem: read.find(({ problem }) => problem !== null)?.problem ?? null,
    };
  });
}

/** Remembers a config atomically. Throws `CONFIG_INVALID` if the state folder is not private and writable. */
export function writeTrust(host: Host, entry: TrustEntry): void {
  const text = `${JSON.stringify(entry)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new CofferdamError(
      "CONFIG_INVALID",
      `the permissions of ${visible(entry.path)} take ${bytes} bytes to store, but the maximum is ${MAX_BYTES}`,
      { hint: "name fewer or shorter profiles in `os_profile`, or name the config with `--config`" },
    );
  }
  const file = trustPath(host, entry.path);
  const problem = problemOfState(host);
  if (problem !== null) throw problem;
  changing(file, () => writePrivate(host, file, text));
}

/** Forgets a config, also one whose memory is broken. False if it was not remembered. Throws `CONFIG_INVALID`. */
export function removeTrust(host: Host, path: string): boolean {
  return removePrivate(host, trustPath(host, path));
}

function trustFolder(host: Pick<Host, "stateFolder">): AbsolutePath {
  return joinPath(host.stateFolder, "trust");
}

/** One file per config: a fault in one does not affect the others. */
export function trustPath(host: Pick<Host, "stateFolder">, path: string): AbsolutePath {
  return joinPath(trustFolder(host), `${sha256(path)}.json`);
}

function isOwnAndThere(host: Host): boolean {
  for (const folder of [host.stateFolder, trustFolder(host)]) {
    if (!isThere(folder)) return false;
    assertOwn(host, folder);
  }
  return true;
}

function entryAt(host: Host, file: AbsolutePath, path?: string): TrustEntry {
  assertOwn(host, file);
  const { bytes } = readPinned(file, { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null });
  const entry = parsed(bytes, file);
  if (trustPath(host, path ?? entry.path) === file && (path ?? entry.path) === entry.path) return entry;
  throw broken(file, "belongs to another config");
}

function parsed(bytes: Uint8Array, file: AbsolutePath): TrustEntry {
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw broken(file, "is damaged", error);
  }
  const read = TrustEntry.safeParse(data);
  if (!read.success) throw broken(file, "is damaged", read.error);
  return read.data;
}

function broken(file: AbsolutePath, what: string, cause?: unknown): CofferdamError {
  return new CofferdamError(
    "CONFIG_INVALID",
    `the trust file ${visible(file)} ${what}; its config is not trusted`,
    {
      hint: `remove it with \`${quote(["rm", file])}\`, then run \`cofferdam trust\``,
      cause,
    },
  );
}

/** The result of `read`, or nothing and the reason. */
function guarded<Memory extends TrustMemory | EveryTrust>(
  nothing: Omit<Memory, "problem">,
  read: () => Memory,
): Omit<Memory, "problem"> & { readonly problem: CofferdamError | null } {
  try {
    return read();
  } catch (error) {
    if (error instanceof CofferdamError) return { ...nothing, problem: error };
    const message = `the state folder ${printFailure(error)}, so no config is trusted`;
    const hint = OTHER_STATE;
    return { ...nothing, problem: new CofferdamError("CONFIG_INVALID", message, { hint, cause: error }) };
  }
}

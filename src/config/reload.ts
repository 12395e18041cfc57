import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { namesIn } from "../host/look/names-in.ts";
import { type AbsolutePath, joinPath, parentOf, upwards } from "../profile/path.ts";
import { assemble, namedByCaller } from "./assemble.ts";
import type { LoadedConfig } from "./config.ts";
import { type LoadRequest, loadConfig } from "./load.ts";
import { CONFIG_NAME, nearestConfig, realFolder, watchedPath } from "./locate.ts";
import { readPinned } from "./safe-file.ts";
import { digestingReader, recordDigest } from "./trust-check.ts";
import { readTrust, trustPath } from "./trust-file.ts";

/** The use of the config as it is now for a running session. */
export type ReloadedConfig =
  /** It is trusted, or it is unchanged: it applies. */
  | { readonly kind: "trusted"; readonly loaded: LoadedConfig }
  /** It has changed and is not trusted: it can only restrict the one that was trusted last. */
  | { readonly kind: "changed"; readonly loaded: LoadedConfig }
  /** Nothing may run by it. */
  | { readonly kind: "stopped"; readonly error: CofferdamError; readonly isRevoked: boolean };

/**
 * Loads the config again, as a session that starts now would. `trusted` is the one that was trusted last: what replaces
 * it must be trusted as well, and a named file counts as trusted while its content is the same. Never throws a
 * `CofferdamError`.
 */
export function reloadConfig(host: Host, request: LoadRequest, trusted: LoadedConfig): ReloadedConfig {
  try {
    return request.config === undefined
      ? reloadFound(host, request, trusted)
      : reloadNamed(host, request, request.config, trusted);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return { kind: "stopped", error, isRevoked: false };
  }
}

/** The paths whose change may change what `reloadConfig` returns, as far as the request names them. */
export function watchedFor(host: Host, request: LoadRequest): readonly AbsolutePath[] {
  const cwd = realFolder(request.cwd ?? host.cwd);
  const { config, profiles = [] } = request;
  const written =
    config === undefined ? [] : [watchedPath(config.startsWith("/") ? config : `${cwd}/${config}`)];
  const found = config === undefined ? [...upwards(cwd)].map((folder) => joinPath(folder, CONFIG_NAME)) : [];
  const byCaller = profiles
    .map((text) => namedByCaller(text, cwd).source)
    .flatMap((source) => (source.kind === "shipped" ? [] : [watchedPath(source.path)]));
  const files = [...written, ...found];
  return [...files, ...files.map((path) => trustPath(host, path)), ...byCaller, ...host.operatorFolders];
}

/** The files in the operators' folders now, also those that no config could be loaded with. */
export function operatorFiles({ operatorFolders }: Pick<Host, "operatorFolders">): readonly AbsolutePath[] {
  return operatorFolders.flatMap((folder) => namesIn(folder).map((name) => joinPath(folder, name)));
}

function reloadFound(host: Host, request: LoadRequest, trusted: LoadedConfig): ReloadedConfig {
  const { origin } = trusted.config;
  const path = nearestConfig(host, realFolder(request.cwd ?? host.cwd));
  if (path === null && origin.kind !== "default") throw gone(origin.file);
  try {
    return { kind: "trusted", loaded: loadConfig(host, request) };
  } catch (error) {
    if (!(error instanceof CofferdamError) || error.code !== "CONFIG_UNTRUSTED" || path === null) throw error;
    return reloadUntrusted(host, request, path, trusted);
  }
}

function reloadUntrusted(
  host: Host,
  request: LoadRequest,
  path: AbsolutePath,
  trusted: LoadedConfig,
): ReloadedConfig {
  const { origin } = trusted.config;
  const { entry, problem } = readTrust(host, path);
  if (problem !== null) throw problem;
  if (entry === null && origin.kind !== "default" && origin.file === path)
    return { kind: "stopped", error: revoked(path), isRevoked: true };
  if (entry !== null && recordDigest(entry) !== trusted.trust.record) throw unseen(path);
  const file = readPinned(path, NAMING);
  const readProfile = digestingReader(parentOf(path), () => undefined);
  const byCaller = callersProfiles(host, request);
  const { loaded } = assemble(host, { origin: { kind: "trusted", file: path }, file, readProfile }, byCaller);
  return { kind: "changed", loaded };
}

/** A named config needs no trust. If it was trusted as well, revoking that stops its running sessions, too. */
function reloadNamed(host: Host, request: LoadRequest, name: string, trusted: LoadedConfig): ReloadedConfig {
  const loaded = loadConfig(host, request);
  const { record, isTrusted } = loaded.trust;
  if (isTrusted) return { kind: "trusted", loaded };
  const { origin } = loaded.config;
  const file = origin.kind === "default" ? name : origin.file;
  if (record === null && trusted.trust.isTrusted)
    return { kind: "stopped", error: revoked(file), isRevoked: true };
  if (record !== null && record !== trusted.trust.record) throw unseen(file);
  return { kind: loaded.digests.own === trusted.digests.own ? "trusted" : "changed", loaded };
}

const NAMING = { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null } as const;

function callersProfiles(host: Host, { profiles = [], cwd }: LoadRequest) {
  const folder = realFolder(cwd ?? host.cwd);
  return profiles.map((text) => namedByCaller(text, folder));
}

function gone(file: AbsolutePath): CofferdamError {
  return new CofferdamError("CONFIG_INVALID", `the config ${visible(file)} is gone`, {
    hint: "restore it, or start again without it",
  });
}

/** The state that was trusted is not known here, so nothing can be met with it. */
function unseen(file: string): CofferdamError {
  return new CofferdamError(
    "CONFIG_UNTRUSTED",
    `${visible(file)} has changed since it was trusted, and this process never saw the trusted state`,
    { hint: "run `cofferdam trust` to review it as it is now" },
  );
}

function revoked(file: string): CofferdamError {
  return new CofferdamError("CONFIG_UNTRUSTED", `the trust in ${visible(file)} was revoked`, {
    hint: "a person can review it, and trust it again with `cofferdam trust`",
  });
}

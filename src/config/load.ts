import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { orNull } from "../host/or-null.ts";
import { type AbsolutePath, joinPath, upwards } from "../profile/path.ts";
import { assemble, assembleDefault, assembleStoreOnly, namedByCaller } from "./assemble.ts";
import type { LoadedConfig } from "./config.ts";
import { CONFIG_NAME, nearestConfig, realFolder } from "./locate.ts";
import { safeReader } from "./operator-profile.ts";
import { readSafely } from "./safe-file.ts";
import { assembleTrusted, withRecord } from "./trust-check.ts";
import { readTrust } from "./trust-file.ts";

/** The caller's choice of config and profiles. */
export interface LoadRequest {
  /** `--config`: a file, from the cwd. */
  readonly config?: string | undefined;
  /** `--profile`: shipped names, or files from the cwd. */
  readonly profiles?: readonly string[] | undefined;
  readonly cwd?: AbsolutePath | undefined;
}

/**
 * The config in force and the ceiling over it: the named one, else the nearest `cofferdam.yaml` if it is trusted, else
 * the built-in default. Writes nothing and runs nothing. Throws `CONFIG_INVALID`, `CONFIG_UNTRUSTED`,
 * `PROFILE_INVALID`, `ROOT_REFUSED`, `PATH_INVALID`, `PATTERN_INVALID`, `HOST_INVALID`, with the position if a file is
 * at fault.
 */
export function loadConfig(host: Host, request: LoadRequest = {}): LoadedConfig {
  const cwd = realFolder(request.cwd ?? host.cwd);
  const byCaller = (request.profiles ?? []).map((text) => namedByCaller(text, cwd));
  if (request.config !== undefined) {
    const text = request.config.startsWith("/") ? request.config : `${cwd}/${request.config}`;
    const file = readSafely(host, text, { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null });
    const { loaded } = assemble(
      host,
      { origin: { kind: "named", file: file.path }, file, readProfile: safeReader(host) },
      byCaller,
    );
    return withRecord(loaded, readTrust(host, file.path).entry, file);
  }
  const found = nearestConfig(host, cwd);
  if (found === null) return assembleDefault(host, cwd, byCaller);
  return assembleTrusted(host, found, (source) => assemble(host, source, byCaller)).loaded;
}

/**
 * The same for a desk, which runs no call: if the config that is found may not be used, the store of its last trusted
 * state, or the default one, and a note that says which. It takes nothing from such a config. Throws as `loadConfig`
 * does for a named config, and for operator profiles.
 */
export function loadForAnswers(host: Host, request: LoadRequest = {}): LoadedConfig {
  try {
    return loadConfig(host, request);
  } catch (cause) {
    if (request.config !== undefined || !(cause instanceof CofferdamError)) throw cause;
    const cwd = realFolder(request.cwd ?? host.cwd);
    const path = configToAnswerFor(host, cwd);
    const { store } = readTrust(host, path).entry ?? {};
    const byCaller = (request.profiles ?? []).map((text) => namedByCaller(text, cwd));
    const which =
      store === undefined
        ? `the default store in ${host.stateFolder}`
        : "the store of the config as it was trusted";
    const note = `${cause.message}; used for this command: ${which}`;
    return { ...assembleStoreOnly(host, path, store ?? "sqlite", byCaller), notes: [note] };
  }
}

/** The nearest config; if none can be found, the nearest remembered one, or the place for one in this folder. */
function configToAnswerFor(host: Host, cwd: AbsolutePath): AbsolutePath {
  const found = orNull(() => nearestConfig(host, cwd));
  if (found !== null) return found;
  const places = [...upwards(cwd)].map((folder) => joinPath(folder, CONFIG_NAME));
  return places.find((path) => readTrust(host, path).entry !== null) ?? joinPath(cwd, CONFIG_NAME);
}

import type { Host } from "../host/look/host.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { assemble, assembleDefault, namedByCaller } from "./assemble.ts";
import type { LoadedConfig } from "./config.ts";
import { nearestConfig, realFolder } from "./locate.ts";
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

import { escapeInvisible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { journalFolder } from "../journal/journal.ts";
import { type AbsolutePath, parentOf } from "../profile/path.ts";
import { journalPlace } from "./journal-place.ts";
import { nearestConfig, realFolder } from "./locate.ts";
import { parseData } from "./parse.ts";
import { type Naming, type ReadFile, readPinned, readSafely } from "./safe-file.ts";
import { ConfigFile } from "./schema.ts";
import { checkTrust } from "./trust-check.ts";
import { readTrust } from "./trust-file.ts";
import { readYaml } from "./yaml.ts";

/** The folder where records are looked up. */
export interface FoundJournal {
  readonly folder: AbsolutePath;
  /** How long the config keeps them; null: for ever. */
  readonly keepMs: number | null;
  readonly note: string | null;
}

const NAMING: Naming = { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null };

/**
 * The records of the named config, else of the nearest if trusted, else the default. Only the journal part is checked,
 * so that records are readable after a root is removed. Throws `CONFIG_INVALID`, `PATH_INVALID`.
 */
export function findJournal(host: Host, config: string | undefined): FoundJournal {
  if (config !== undefined)
    return journalUnder(
      host,
      readSafely(host, config.startsWith("/") ? config : `${host.cwd}/${config}`, NAMING),
    );
  const folder = journalFolder(host.stateFolder);
  const nearest = nearestConfig(host, realFolder(host.cwd));
  if (nearest === null) return { folder, keepMs: null, note: null };
  const file = readPinned(nearest, NAMING);
  const check = checkTrust(readTrust(host, file.path).entry, file);
  if (check.trusted) return journalUnder(host, file);
  const why = check.reason === "never" ? "is not trusted" : `is no longer trusted (${check.reason})`;
  const note = `${escapeInvisible(file.path)} ${why}: searching for records in the state folder instead`;
  return { folder, keepMs: null, note };
}

function journalUnder(host: Host, { path, bytes }: ReadFile): FoundJournal {
  const yaml = readYaml(bytes, path, "CONFIG_INVALID");
  const { journal } = parseData(ConfigFile, yaml);
  const nothing = { workspace: parentOf(path), roots: [], runtimes: [] };
  const { folder, keepMs } = journalPlace(host, journal, nothing, yaml);
  return { folder: folder ?? journalFolder(host.stateFolder), keepMs, note: null };
}

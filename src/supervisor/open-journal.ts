import { lstatSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { resolvedPath } from "../host/nodes.ts";
import { makeFolders, makeStateFolder } from "../host/state-folder.ts";
import { codeOf } from "../host/system-error.ts";
import { FileJournal, type Journal, journalFolder } from "../journal/journal.ts";
import { removeOldRecords } from "../journal/retention.ts";
import type { AbsolutePath } from "../profile/path.ts";

/**
 * The journal of one supervisor: a record in the state folder, or in the folder that the config names, which is made where
 * it is missing. What the config does not keep any more is removed first, and whenever a file of the record has ended.
 * Throws `CONFIG_INVALID`, `SANDBOX_UNAVAILABLE`.
 */
export function openJournal(host: Host, { origin, journal, positions }: Config, runId: string): Journal {
  makeStateFolder(host);
  const folder = journal.folder ?? journalFolder(host.stateFolder);
  if (journal.folder !== null)
    try {
      makeFolder(journal.folder, host.user.uid);
    } catch (cause) {
      const at = positions.get("journal.folder");
      throw new CofferdamError("CONFIG_INVALID", `the journal's folder ${visible(folder)} ${whyNot(cause)}`, {
        hint: "name another one, or make it yourself, for this user alone",
        cause,
        ...(at === undefined ? {} : { at }),
      });
    }
  const { keepMs } = journal;
  const afterSegment = (): void => {
    if (keepMs !== null && origin.kind !== "default")
      removeOldRecords(folder, { config: origin.file, keepMs }, host.now());
  };
  afterSegment();
  return new FileJournal(folder, runId, { afterSegment });
}

/** What was there when the config was loaded was looked at then, and nobody else can have replaced it. */
function makeFolder(folder: AbsolutePath, uid: number): void {
  makeFolders(folder);
  const stats = lstatSync(folder);
  const isOwn = stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
  if (!isOwn || resolvedPath(folder) !== folder)
    throw Object.assign(new Error("changed"), { code: "ESTALE" });
}

function whyNot(cause: unknown): string {
  const code = codeOf(cause);
  return code === "ESTALE" ? "was changed meanwhile" : `cannot be made: ${code === "" ? "unknown" : code}`;
}

import { lstatSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { CofferdamError, visible } from "../errors.ts";
import { makeFolders, makeStateFolder } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { resolvedPath } from "../host/look/nodes.ts";
import { codeOf } from "../host/system-error.ts";
import { FileJournal, type Journal, journalFolder } from "../journal/journal.ts";
import { removeOldRecords } from "../journal/retention.ts";
import type { AbsolutePath } from "../profile/path.ts";

/**
 * The journal of one supervisor, in the state folder or the configured one (made if missing). Records beyond the
 * configured retention are removed first, and whenever a file is full. Throws `CONFIG_INVALID`, `SANDBOX_UNAVAILABLE`.
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
        hint: "use another folder, or create it yourself with the mode 0700",
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

/** Existing folders were checked when the config was loaded, and no other user can have replaced them. */
function makeFolder(folder: AbsolutePath, uid: number): void {
  makeFolders(folder);
  const stats = lstatSync(folder);
  const isOwn = stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
  if (!isOwn || resolvedPath(folder) !== folder)
    throw Object.assign(new Error("changed"), { code: "ESTALE" });
}

function whyNot(cause: unknown): string {
  const code = codeOf(cause);
  return code === "ESTALE" ? "was changed meanwhile" : `can't be created: ${code === "" ? "unknown" : code}`;
}

import { isAbsolutePath, joinPath, parentOf } from "../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { openFolder } from "../open-folder.ts";
import { isRunning } from "../process-id.ts";
import { codeOf } from "../system-error.ts";
import { WorkTurn } from "../turns.ts";
import { measured, type Numbered, removeHeld } from "./held-entry.ts";
import { asideNameOf, unfinishedNameOf } from "./move.ts";
import type { QuarantineItem, QuarantineRecord } from "./record.ts";
import { isBegun, type QuarantineRecords } from "./records.ts";
import { removeTree } from "./remove.ts";
import { endRestoring, temporaryNameOf } from "./restore.ts";

/** True where a process was killed before it had ended what it began with a record, as it stands on the disk. */
export function isCut(records: QuarantineRecords, record: QuarantineRecord): boolean {
  return !isRunning(record) && isUnended(records, record);
}

/** True where something that was begun with a record has not ended. */
export function isUnended(records: QuarantineRecords, record: QuarantineRecord): boolean {
  return record.items.some(
    (item, index) =>
      isBegun(item) || (isOver(item) && statsOf(heldAt(records, { id: record.id, index, item })) !== null),
  );
}

/**
 * Ends what such a process began: whatever it was about to move or to give back is in one place then, and the record says where. What
 * can't be ended now stays begun.
 */
export async function recovered(
  records: QuarantineRecords,
  record: QuarantineRecord,
  now: number,
): Promise<QuarantineRecord> {
  const { id } = record;
  const found = records.asFound(record);
  const items: QuarantineItem[] = [];
  const turn = new WorkTurn();
  for (const [index, item] of record.items.entries()) {
    await turn.step();
    try {
      items.push(
        await recoveredItem(records, { id, index, item }, { found: found.items[index] ?? item, now }),
      );
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
      items.push(item);
    }
  }
  return measured(records, { ...record, items });
}

async function recoveredItem(
  records: QuarantineRecords,
  numbered: Numbered,
  { found, now }: { readonly found: QuarantineItem; readonly now: number },
): Promise<QuarantineItem> {
  const { id, index, item } = numbered;
  if (isOver(item)) await removeHeld(records, numbered);
  if (item.state === "moving") {
    using folder = openFolder(records.folderOf(id));
    await removeTree({ folder, name: unfinishedNameOf(String(index)), at: records.folderOf(id) });
    // What was copied whole is not needed where it came from.
    if (found.state === "taken") await removeHeld(records, { id, index, item: besideItsPlace(numbered) });
  }
  if (item.state !== "restoring" || !isAbsolutePath(item.path)) return found;
  if (!(await endRestoring(item, item.path, temporaryNameOf(id, index)))) return found;
  await removeHeld(records, numbered);
  return { ...item, state: "kept", keptAt: now };
}

/** Nothing of it is to be held any more. */
function isOver({ state }: QuarantineItem): boolean {
  return state === "kept" || state === "dropped";
}

function heldAt(records: QuarantineRecords, { id, index, item }: Numbered) {
  const { aside } = item;
  return aside !== null && isAbsolutePath(aside) ? aside : joinPath(records.folderOf(id), String(index));
}

function besideItsPlace({ id, index, item }: Numbered): QuarantineItem {
  if (!isAbsolutePath(item.path)) return item;
  return { ...item, aside: joinPath(parentOf(item.path), asideNameOf(item.path, id, index)) };
}

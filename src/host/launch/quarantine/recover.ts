import { isAbsolutePath, joinPath, parentOf } from "../../../profile/path.ts";
import { statsOf } from "../../look/nodes.ts";
import { openFolder } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { WorkTurn } from "../../turns.ts";
import { isRunning } from "../process-id.ts";
import { measured, type Numbered, removeItem } from "./item-entry.ts";
import { asideNameOf, unfinishedNameOf } from "./move.ts";
import type { QuarantineItem, QuarantineRecord } from "./record.ts";
import { isBegun, type QuarantineRecords } from "./records.ts";
import { removeTree } from "./remove.ts";
import { endRestoring, temporaryNameOf } from "./restore.ts";

/** True if a process was killed during a step with a record, as it is on the disk. */
export function isCut(records: QuarantineRecords, record: QuarantineRecord): boolean {
  return !isRunning(record) && isUnended(records, record);
}

/** True if a step with a record has not ended. */
export function isUnended(records: QuarantineRecords, record: QuarantineRecord): boolean {
  return record.items.some(
    (item, index) =>
      isBegun(item) || (isOver(item) && statsOf(contentAt(records, { id: record.id, index, item })) !== null),
  );
}

/** Ends a killed process's step: each item is then in one place, which the record names. Else it stays begun. */
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
  if (isOver(item)) await removeItem(records, numbered);
  if (item.state === "moving") {
    using folder = openFolder(records.folderOf(id));
    await removeTree({ folder, name: unfinishedNameOf(String(index)), at: records.folderOf(id) });
    // Once copied whole, the source is not needed.
    if (found.state === "taken") await removeItem(records, { id, index, item: besideItsPlace(numbered) });
  }
  if (item.state !== "restoring" || !isAbsolutePath(item.path)) return found;
  if (!(await endRestoring(item, item.path, temporaryNameOf(id, index)))) return found;
  await removeItem(records, numbered);
  return { ...item, state: "kept", keptAt: now };
}

function isOver({ state }: QuarantineItem): boolean {
  return state === "kept" || state === "dropped";
}

function contentAt(records: QuarantineRecords, { id, index, item }: Numbered) {
  const { aside } = item;
  return aside !== null && isAbsolutePath(aside) ? aside : joinPath(records.folderOf(id), String(index));
}

function besideItsPlace({ id, index, item }: Numbered): QuarantineItem {
  if (!isAbsolutePath(item.path)) return item;
  return { ...item, aside: joinPath(parentOf(item.path), asideNameOf(item.path, id, index)) };
}

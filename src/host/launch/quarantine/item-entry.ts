import { isAbsolutePath, nameOf, parentOf } from "../../../profile/path.ts";
import { openFolder } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { WorkTurn } from "../../turns.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "./record.ts";
import type { QuarantineRecords } from "./records.ts";
import { removeByRight } from "./remove.ts";
import { type Entry, ReadBudget, readTree, type TreeSummary } from "./tree.ts";

/** One item of a record: its number, and its present state. */
export interface Numbered {
  readonly id: string;
  readonly index: number;
  readonly item: QuarantineItem;
}

/** Does something with an item at its place: in the folder of its record, or aside. Throws node's errors. */
export async function withEntryOf<Done>(
  records: QuarantineRecords,
  { id, index, item }: Numbered,
  work: (entry: Entry) => Promise<Done>,
): Promise<Done> {
  const { aside } = item;
  const isAside = aside !== null && isAbsolutePath(aside);
  const at = isAside ? parentOf(aside) : records.folderOf(id);
  using folder = openFolder(at);
  return await work({ folder, name: isAside ? nameOf(aside) : String(index), at });
}

/** Removes the held content of an item; returns the reason of a failure, or null. */
export async function removeItem(records: QuarantineRecords, numbered: Numbered): Promise<string | null> {
  try {
    return await withEntryOf(records, numbered, removeByRight);
  } catch (cause) {
    return codeOf(cause) || "it can't be reached";
  }
}

/** The same record, with the content of each unread item measured. */
export async function measured(
  records: QuarantineRecords,
  record: QuarantineRecord,
  budget = new ReadBudget(),
): Promise<QuarantineRecord> {
  const { id } = record;
  const turn = new WorkTurn();
  const items: QuarantineItem[] = [];
  for (const [index, item] of record.items.entries()) {
    await turn.step();
    const isUnread = item.kind === "unread" && isHeld(item);
    items.push(isUnread ? { ...item, ...(await summaryOf(records, { id, index, item }, budget)) } : item);
  }
  return { ...record, items };
}

const UNREADABLE: TreeSummary = { kind: "other", files: 0, bytes: 0, digest: null };

async function summaryOf(
  records: QuarantineRecords,
  numbered: Numbered,
  budget: ReadBudget,
): Promise<TreeSummary> {
  try {
    const { kind, files, bytes, digest } = await withEntryOf(records, numbered, (entry) =>
      readTree(entry, null, budget),
    );
    return { kind, files, bytes, digest };
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
    return UNREADABLE;
  }
}

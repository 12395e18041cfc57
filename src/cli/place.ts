import { escapeInvisible, type Position } from "../errors.ts";

/** Where something stands, `file:line:column` as editors open it, from the folder when it lies below that. */
export function printPlace(at: Position | null, folder: string): string {
  if (at === null) return "";
  const file = at.file.startsWith(`${folder}/`) ? at.file.slice(folder.length + 1) : at.file;
  return escapeInvisible(`${file}:${at.line}:${at.column}`);
}

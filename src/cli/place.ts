import { escapeInvisible, type Position } from "../errors.ts";

/** A position as `file:line:column`, as editors open it; relative if it is below the folder. */
export function printPlace(at: Position | null, folder: string): string {
  if (at === null) return "";
  const file = at.file.startsWith(`${folder}/`) ? at.file.slice(folder.length + 1) : at.file;
  return escapeInvisible(`${file}:${at.line}:${at.column}`);
}

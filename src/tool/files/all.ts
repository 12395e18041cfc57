import type { z } from "zod";
import { asJson, type Json } from "../../policy/canonical-json.ts";
import type { Risk } from "../../policy/risk.ts";
import type { FileWork } from "../derive.ts";
import type { Root } from "../facts.ts";
import { assertWorthChecking, wrongInput } from "../wrong-input.ts";
import { type DeleteFileInput, type DeleteFileValue, deleteFile } from "./delete-file.ts";
import { type EditFileInput, type EditFileValue, editFile } from "./edit-file.ts";
import type { FileTool, FileUse } from "./file-tool.ts";
import { type FindFilesInput, type FindFilesValue, findFiles } from "./find-files.ts";
import { type ListDirInput, type ListDirValue, listDir } from "./list-dir.ts";
import { type MoveFileInput, type MoveFileValue, moveFile } from "./move-file.ts";
import { type ReadFileInput, type ReadFileValue, readFile } from "./read-file.ts";
import { type SearchFilesInput, type SearchFilesValue, searchFiles } from "./search-files.ts";
import { type WriteFileInput, type WriteFileValue, writeFile } from "./write-file.ts";

/** Input and output types of the file tools, by name. */
export interface FileToolTypes {
  readonly read_file: { readonly input: ReadFileInput; readonly value: ReadFileValue };
  readonly write_file: { readonly input: WriteFileInput; readonly value: WriteFileValue };
  readonly edit_file: { readonly input: EditFileInput; readonly value: EditFileValue };
  readonly list_dir: { readonly input: ListDirInput; readonly value: ListDirValue };
  readonly find_files: { readonly input: FindFilesInput; readonly value: FindFilesValue };
  readonly search_files: { readonly input: SearchFilesInput; readonly value: SearchFilesValue };
  readonly delete_file: { readonly input: DeleteFileInput; readonly value: DeleteFileValue };
  readonly move_file: { readonly input: MoveFileInput; readonly value: MoveFileValue };
}
export type FileToolName = keyof FileToolTypes;

/** A file tool, for any input and output. */
export interface AnyFileTool {
  readonly name: string;
  readonly risk: Risk;
  readonly description: string;
  readonly input: z.ZodType;
  /** One use of the tool. Throws `USAGE` for an invalid input. */
  read(raw: unknown, roots: readonly Root[]): ReadUse;
}

/** A use, and its input after the schema's defaults. */
export interface ReadUse extends FileUse<unknown> {
  readonly args: Json;
}

function erased<Input, Value>(tool: FileTool<Input, Value>): AnyFileTool {
  const { name, risk, description, input, use } = tool;
  return {
    name,
    risk,
    description,
    input,
    read: (raw, roots) => {
      assertWorthChecking(name, raw);
      const read = input.safeParse(raw);
      if (read.success) return { ...use(read.data, roots), args: asJson(withoutUndefined(read.data)) };
      throw wrongInput(name, read.error, input, raw);
    },
  };
}

/** A schema keeps keys that the caller left undefined; JSON has no such value. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, withoutUndefined(one)]])),
  );
}

export const FILE_TOOLS: readonly AnyFileTool[] = [
  erased(readFile),
  erased(listDir),
  erased(findFiles),
  erased(searchFiles),
  erased(writeFile),
  erased(editFile),
  erased(deleteFile),
  erased(moveFile),
];

/** The most that a tool does with files, by its risk. */
export function workOf({ risk }: Pick<AnyFileTool, "risk">): FileWork {
  return risk === "read_only" ? "reading" : "writing";
}

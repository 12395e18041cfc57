import { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import { readWhole } from "./content.ts";
import { writeExpected } from "./expected.ts";
import { type FileTool, given, spoken } from "./file-tool.ts";
import { CreateFolders, FileText, MAX_FILE_BYTES, WrittenPath } from "./input.ts";

export const WriteFileInput = z.strictObject({
  path: WrittenPath,
  content: FileText.describe("the whole new content"),
  create_folders: CreateFolders,
});
export type WriteFileInput = z.input<typeof WriteFileInput>;

/** The written file. */
export interface WriteFileValue {
  readonly path: string;
  readonly bytes: number;
  readonly is_new: boolean;
}

/** Replaces the text of a file, or creates it. The old content is replaced as a whole, or kept as a whole. */
export const writeFile: FileTool<z.infer<typeof WriteFileInput>, WriteFileValue> = {
  name: "write_file",
  risk: "write",
  description:
    "Writes a whole text file: creates it, or replaces its content and keeps its mode. To change a part of a file, use `edit_file`.",
  input: WriteFileInput,
  use: ({ path: written, content, create_folders: folders }) => {
    // A UTF-16 unit is at least one byte.
    assertSize(content.length);
    const bytes = Buffer.from(content);
    assertSize(bytes.length);
    return {
      touches: [{ written, argument: "path", need: "write", end: "followed" }],
      writes: bytes,
      describe: ([target]) => `write to ${spoken(target)}`,
      preview: async ([touched], files) => {
        const target = given(touched);
        const before = target.looked.kind === "missing" ? null : await readWhole(target, files);
        return { kind: "change", change: { path: target.path, before, after: bytes } };
      },
      run: async ([touched], files) => {
        const target = given(touched);
        const { isNew } = await writeExpected(target, bytes, folders, files);
        return { path: target.shown, bytes: bytes.length, is_new: isNew };
      },
    };
  },
};

/** Throws `FILE_TOO_LARGE` above the maximum size. */
export function assertSize(bytes: number): void {
  if (bytes <= MAX_FILE_BYTES) return;
  throw new CofferdamError(
    "FILE_TOO_LARGE",
    `the text has ${bytes} bytes; the maximum is ${MAX_FILE_BYTES}`,
    { hint: "write it in parts, or with a command" },
  );
}

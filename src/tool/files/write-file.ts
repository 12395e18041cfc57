import { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import { readWhole } from "./content.ts";
import { expectedOf } from "./expected.ts";
import { type FileTool, given, spoken } from "./file-tool.ts";
import { FileText, MOST_FILE_BYTES, WrittenPath } from "./input.ts";

const Input = z.strictObject({
  path: WrittenPath,
  content: FileText,
  /** Makes the folders above it that are missing. */
  create_folders: z.boolean().default(true),
});
export type WriteFileInput = z.input<typeof Input>;

/** What was written. */
export interface WriteFileValue {
  readonly path: string;
  readonly bytes: number;
  readonly is_new: boolean;
}

/** Puts a text in the place of a file, or makes it. What it replaced is gone whole, or there whole. */
export const writeFile: FileTool<z.infer<typeof Input>, WriteFileValue> = {
  name: "write_file",
  risk: "write",
  description:
    "Writes a whole text file: makes it, or replaces what it held, keeping its mode. To change a part of a file use `edit_file`.",
  input: Input,
  use: ({ path: written, content, create_folders: folders }) => {
    // A unit of UTF-16 is a byte at least.
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
        const { answer } = await files.ask<"write">(
          {
            op: "write",
            path: target.path,
            expected: expectedOf(target),
            temporary: files.temporaryBeside(target.path),
            folders,
          },
          bytes,
        );
        return { path: target.shown, bytes: bytes.length, is_new: answer.isNew };
      },
    };
  },
};

/** Throws `FILE_TOO_LARGE`. */
export function assertSize(bytes: number): void {
  if (bytes <= MOST_FILE_BYTES) return;
  throw new CofferdamError(
    "FILE_TOO_LARGE",
    `${bytes} bytes are more than file tools write: ${MOST_FILE_BYTES}`,
    {
      hint: "write it in parts, or by a command",
    },
  );
}

import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { expectedOf } from "./expected.ts";
import { type FileTool, given, spoken, type TouchedPath } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";

export const DeleteFileInput = z.strictObject({ path: WrittenPath });
export type DeleteFileInput = z.input<typeof DeleteFileInput>;

/** The deleted file, link or folder. */
export interface DeleteFileValue {
  readonly path: string;
}

/** Deletes a file, a link (not its target) or an empty folder. */
export const deleteFile: FileTool<z.infer<typeof DeleteFileInput>, DeleteFileValue> = {
  name: "delete_file",
  risk: "destructive",
  description: "Deletes one file, link or empty folder. A link itself is deleted, not its target.",
  input: DeleteFileInput,
  use: ({ path: written }) => ({
    touches: [{ written, argument: "path", need: "write", end: "itself" }],
    describe: ([target]) => `delete ${spoken(target)}`,
    preview: async ([target]) => ({ kind: "text", text: describe(existing(target)) }),
    run: async ([target], files) => {
      const found = existing(target);
      await files.ask<"remove">({ op: "remove", path: found.path, expected: expectedOf(found) });
      return { path: found.shown };
    },
  }),
};

function describe({ path, looked }: TouchedPath): string {
  const { kind, bytes, leadsTo } = looked;
  if (kind === "link") return `Deletes the link ${visible(path)} to ${visible(leadsTo ?? "")}`;
  return kind === "file"
    ? `Deletes the file ${visible(path)} with its ${bytes} bytes`
    : `Deletes the ${kind === "folder" ? "empty folder" : "node"} ${visible(path)}`;
}

/** Throws `FILE_NOT_FOUND` if nothing is there. */
export function existing(target: TouchedPath | undefined): TouchedPath {
  const found = given(target);
  if (found.looked.kind !== "missing") return found;
  throw new CofferdamError("FILE_NOT_FOUND", `${visible(found.shown)} does not exist`, {
    hint: "list the folder to see its files",
  });
}

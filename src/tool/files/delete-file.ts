import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { expectedOf } from "./expected.ts";
import { type FileTool, given, spoken, type Target } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";

const Input = z.strictObject({ path: WrittenPath });
export type DeleteFileInput = z.input<typeof Input>;

/** What was deleted. */
export interface DeleteFileValue {
  readonly path: string;
}

/** Deletes a file, a link (not what it leads to) or an empty folder. */
export const deleteFile: FileTool<z.infer<typeof Input>, DeleteFileValue> = {
  name: "delete_file",
  risk: "destructive",
  description: "Deletes one file, link or empty folder. A link is deleted itself, not what it leads to.",
  input: Input,
  use: ({ path: written }) => ({
    touches: [{ written, argument: "path", need: "write", end: "itself" }],
    describe: ([target]) => `delete ${spoken(target)}`,
    preview: async ([target]) => ({ kind: "text", text: toldOf(existing(target)) }),
    run: async ([target], files) => {
      const found = existing(target);
      await files.ask<"remove">({ op: "remove", path: found.path, expected: expectedOf(found) });
      return { path: found.shown };
    },
  }),
};

/** What will be gone, in words. */
function toldOf({ path, looked }: Target): string {
  const { kind, bytes, leadsTo } = looked;
  if (kind === "link") return `Deletes the link ${visible(path)}, which says ${visible(leadsTo ?? "")}`;
  return kind === "file"
    ? `Deletes the file ${visible(path)} with its ${bytes} bytes`
    : `Deletes the ${kind === "folder" ? "empty folder" : "node"} ${visible(path)}`;
}

/** Throws `FILE_NOT_FOUND` for what is not there. */
export function existing(target: Target | undefined): Target {
  const found = given(target);
  if (found.looked.kind !== "missing") return found;
  throw new CofferdamError("FILE_NOT_FOUND", `${visible(found.shown)} is not there`, {
    hint: "list the folder to see what is",
  });
}

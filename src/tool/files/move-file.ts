import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { existing } from "./delete-file.ts";
import { expectedOf } from "./expected.ts";
import { type FileTool, spoken, type TouchedPath } from "./file-tool.ts";
import { CreateFolders, WrittenPath } from "./input.ts";

export const MoveFileInput = z.strictObject({
  from: WrittenPath,
  to: WrittenPath,
  create_folders: CreateFolders,
});
export type MoveFileInput = z.input<typeof MoveFileInput>;

/** The moved path. */
export interface MoveFileValue {
  readonly from: string;
  readonly to: string;
}

/** Moves a file, a link or a folder to another path. Nothing that exists is replaced. */
export const moveFile: FileTool<z.infer<typeof MoveFileInput>, MoveFileValue> = {
  name: "move_file",
  risk: "destructive",
  description: "Moves or renames a file, a link or a folder. It never replaces an existing file.",
  input: MoveFileInput,
  use: ({ from, to, create_folders: folders }) => ({
    touches: [
      { written: from, argument: "from", need: "write", end: "itself" },
      { written: to, argument: "to", need: "write", end: "itself" },
    ],
    describe: ([source, place]) => `move ${spoken(source)} to ${spoken(place)}`,
    preview: async ([source, place]) => {
      const [old, now] = [existing(source), free(place)];
      return { kind: "text", text: `Moves ${visible(old.path)}\nto    ${visible(now.path)}` };
    },
    run: async ([source, place], files) => {
      const [old, now] = [existing(source), free(place)];
      await files.ask<"move">({
        op: "move",
        path: old.path,
        expected: expectedOf(old),
        to: now.path,
        temporary: files.temporaryBeside(now.path),
        folders,
      });
      return { from: old.shown, to: now.shown };
    },
  }),
};

function free(place: TouchedPath | undefined): TouchedPath {
  if (place?.looked.kind === "missing") return place;
  throw new CofferdamError("FILE_EXISTS", `${visible(place?.shown ?? "")} already exists`, {
    hint: "choose another name, or delete it first",
  });
}

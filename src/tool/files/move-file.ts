import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { existing } from "./delete-file.ts";
import { expectedOf } from "./expected.ts";
import { type FileTool, spoken, type Target } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";

const Input = z.strictObject({
  from: WrittenPath,
  to: WrittenPath,
  /** Makes the folders above the new path that are missing. */
  create_folders: z.boolean().default(true),
});
export type MoveFileInput = z.input<typeof Input>;

/** What was moved. */
export interface MoveFileValue {
  readonly from: string;
  readonly to: string;
}

/** Gives a file, a link or a folder another path. Nothing that exists is replaced. */
export const moveFile: FileTool<z.infer<typeof Input>, MoveFileValue> = {
  name: "move_file",
  risk: "destructive",
  description: "Moves or renames a file, a link or a folder. Nothing that exists already is replaced.",
  input: Input,
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

/** Throws `FILE_EXISTS` for a place at which something stands. */
function free(place: Target | undefined): Target {
  if (place?.looked.kind === "missing") return place;
  throw new CofferdamError("FILE_EXISTS", `${visible(place?.shown ?? "")} is there already`, {
    hint: "choose another name, or delete it first",
  });
}

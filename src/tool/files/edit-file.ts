import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { type Edit, type Edited, editSteps } from "./apply-edits.ts";
import { readWhole } from "./content.ts";
import { looksLikeText } from "./decode.ts";
import { expectedOf } from "./expected.ts";
import { type Files, type FileTool, given, spoken, type Target } from "./file-tool.ts";
import { FileText, WrittenPath } from "./input.ts";
import { assertSize } from "./write-file.ts";

const Input = z.strictObject({
  path: WrittenPath,
  edits: z
    .array(
      z.strictObject({
        /** Stands in the file, to the character, exactly once. */
        old_text: FileText.min(1),
        new_text: FileText,
        /** Replaces every place where it stands. */
        all: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(100)
    .readonly(),
});
export type EditFileInput = z.input<typeof Input>;

/** What was changed: in how many places, and how large the file is now. */
export interface EditFileValue {
  readonly path: string;
  readonly replaced: number;
  readonly bytes: number;
}

/** Replaces texts in a file: all of the edits are made, or none. */
export const editFile: FileTool<z.infer<typeof Input>, EditFileValue> = {
  name: "edit_file",
  risk: "write",
  description:
    "Replaces texts in a file. Each `old_text` must stand in the file exactly once (or say `all`), to the character. Several edits are made in turn: all of them, or none.",
  input: Input,
  use: ({ path: written, edits }) => ({
    touches: [{ written, argument: "path", need: "write", end: "followed" }],
    describe: ([target]) => `edit ${spoken(target)}`,
    preview: async ([touched], files) => {
      const target = given(touched);
      const { before, after } = await edited(target, edits, files);
      return { kind: "change", change: { path: target.path, before, after } };
    },
    run: async ([touched], files) => {
      const target = given(touched);
      const { after, replaced } = await edited(target, edits, files);
      await files.ask<"write">(
        {
          op: "write",
          path: target.path,
          expected: expectedOf(target),
          temporary: files.temporaryBeside(target.path),
          folders: false,
        },
        after,
      );
      return { path: target.shown, replaced, bytes: after.length };
    },
  }),
};

interface Outcome extends Pick<Edited, "replaced"> {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

async function edited(target: Target, edits: readonly Edit[], files: Files): Promise<Outcome> {
  if (target.looked.kind === "missing")
    throw new CofferdamError("FILE_NOT_FOUND", `${visible(target.shown)} is not there`, {
      hint: "make it with `write_file`",
    });
  const before = await readWhole(target, files);
  const text = looksLikeText(before, false);
  if (text === null)
    throw new CofferdamError("FILE_WRONG_KIND", `${visible(target.shown)} is no text`, {
      hint: "change it by a command",
    });
  const { text: now, replaced } = await files.inTurns(editSteps(text, edits));
  const after = Buffer.from(now);
  assertSize(after.length);
  return { before, after, replaced };
}

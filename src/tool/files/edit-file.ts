import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { type Edit, type EditedText, editSteps } from "./apply-edits.ts";
import { readWhole } from "./content.ts";
import { looksLikeText } from "./decode.ts";
import { writeExpected } from "./expected.ts";
import { type Files, type FileTool, given, spoken, type TouchedPath } from "./file-tool.ts";
import { FileText, WrittenPath } from "./input.ts";
import { assertSize } from "./write-file.ts";

export const EditFileInput = z.strictObject({
  path: WrittenPath,
  edits: z
    .array(
      z.strictObject({
        old_text: FileText.min(1).describe("the exact text to replace; without `all` it must occur once"),
        new_text: FileText.describe("the text that replaces it"),
        all: z.boolean().optional().describe("true replaces every occurrence"),
      }),
    )
    .min(1)
    .max(100)
    .readonly()
    .describe("the replacements, made in order"),
});
export type EditFileInput = z.input<typeof EditFileInput>;

/** Result of the edits: the number of changed places and the new size of the file. */
export interface EditFileValue {
  readonly path: string;
  readonly replaced: number;
  readonly bytes: number;
}

/** Replaces texts in a file: all edits are applied, or none. */
export const editFile: FileTool<z.infer<typeof EditFileInput>, EditFileValue> = {
  name: "edit_file",
  risk: "write",
  description:
    "Replaces texts in a file. Each `old_text` must match exactly one place of the file (or write `all`). Several edits are made in order: all of them, or none.",
  input: EditFileInput,
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
      await writeExpected(target, after, false, files);
      return { path: target.shown, replaced, bytes: after.length };
    },
  }),
};

interface Outcome extends Pick<EditedText, "replaced"> {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

async function edited(target: TouchedPath, edits: readonly Edit[], files: Files): Promise<Outcome> {
  if (target.looked.kind === "missing")
    throw new CofferdamError("FILE_NOT_FOUND", `${visible(target.shown)} does not exist`, {
      hint: "create it with `write_file`",
    });
  const before = await readWhole(target, files);
  const text = looksLikeText(before, false);
  if (text === null)
    throw new CofferdamError("FILE_WRONG_KIND", `${visible(target.shown)} is not a text file`, {
      hint: "change it with a command",
    });
  const { text: now, replaced } = await files.inTurns(editSteps(text, edits));
  const after = Buffer.from(now);
  assertSize(after.length);
  return { before, after, replaced };
}

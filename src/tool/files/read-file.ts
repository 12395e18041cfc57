import { z } from "zod";
import { looksLikeText } from "./decode.ts";
import { type FileTool, given, type LinesRequest, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";

/** Maximum of bytes and of lines in one answer. */
const MAX_BYTES = 256 * 1024;
const MAX_LINES = 2_000;

export const ReadFileInput = z.strictObject({
  path: WrittenPath,
  first_line: z.int().min(1).default(1).describe("the first line, from 1"),
  lines: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe("the maximum number of lines"),
  as: z.enum(["text", "base64"]).default("text").describe("lines of a text, or a piece of the raw bytes"),
  from_byte: z.int().min(0).default(0).describe("for `base64`: the first byte, from 0"),
  bytes: z.int().min(1).max(MAX_BYTES).default(MAX_BYTES).describe("for `base64`: the maximum of bytes"),
});
export type ReadFileInput = z.input<typeof ReadFileInput>;

/** Content of a file: lines of a text, bytes, or a note that it is not text. `size` is the whole file's, in bytes. */
export type ReadFileValue =
  | {
      readonly kind: "text";
      readonly path: string;
      readonly text: string;
      readonly first_line: number;
      readonly lines: number;
      readonly size: number;
      readonly is_end: boolean;
      readonly is_line_cut: boolean;
    }
  | {
      readonly kind: "base64";
      readonly path: string;
      readonly data: string;
      readonly from_byte: number;
      readonly bytes: number;
      readonly size: number;
    }
  | { readonly kind: "binary"; readonly path: string; readonly size: number; readonly hint: string };

/** Reads a part of a file. */
export const readFile: FileTool<z.infer<typeof ReadFileInput>, ReadFileValue> = {
  name: "read_file",
  risk: "read_only",
  description:
    "Reads lines of a text file, at most 2,000 lines and 256 KiB at once: continue with `first_line`. It reports a file that is not text; read its bytes with `as: base64`.",
  input: ReadFileInput,
  use: ({ path: written, first_line: first, lines, as, from_byte: from, bytes }) => {
    const linesOf = (path: string): LinesRequest => ({ path, first, maxLines: lines, maxBytes: MAX_BYTES });
    return {
      touches: [{ written, argument: "path", need: "read", end: "followed" }],
      describe: ([target]) => `read ${spoken(target)}`,
      preview: null,
      ...(as === "text" ? { reads: linesOf } : {}),
      run: async ([touched], files) => {
        const target = given(touched);
        const path = target.shown;
        if (as === "base64") {
          const { answer, body } = await files.ask<"read">({
            op: "read",
            path: target.path,
            from,
            maxBytes: bytes,
          });
          const data = Buffer.from(body).toString("base64");
          return { kind: "base64", path, data, from_byte: from, bytes: body.length, size: answer.bytes };
        }
        const { answer, body } = await files.readLines(linesOf(target.path));
        const text = looksLikeText(body, answer.isLineCut);
        if (text === null)
          return { kind: "binary", path, size: answer.bytes, hint: "read its bytes with `as: base64`" };
        return {
          kind: "text",
          path,
          text,
          first_line: first,
          lines: answer.lines,
          size: answer.bytes,
          is_end: answer.isEnd,
          is_line_cut: answer.isLineCut,
        };
      },
    };
  },
};

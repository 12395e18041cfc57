import { z } from "zod";
import { looksLikeText } from "./decode.ts";
import { type FileTool, given, type LinesRequest, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";

/** The most that one read answers with, in bytes and lines. */
const MOST_BYTES = 256 * 1024;
const MOST_LINES = 2_000;

const Input = z.strictObject({
  path: WrittenPath,
  /** Counts from 1. */
  first_line: z.int().min(1).max(Number.MAX_SAFE_INTEGER).default(1),
  lines: z.int().min(1).max(MOST_LINES).default(MOST_LINES),
  /** `base64` is for what is no text: a piece of the bytes as they are. */
  as: z.enum(["text", "base64"]).default("text"),
  /** Of `base64`: where the piece begins, and how much it is. */
  from_byte: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  bytes: z.int().min(1).max(MOST_BYTES).default(MOST_BYTES),
});
export type ReadFileInput = z.input<typeof Input>;

/** What a file holds: lines of a text, bytes, or that it is no text. `size` is the whole file's, in bytes. */
export type ReadFileValue =
  | {
      readonly kind: "text";
      readonly path: string;
      readonly text: string;
      readonly first_line: number;
      readonly lines: number;
      readonly size: number;
      /** True when nothing of the file is behind the text. */
      readonly is_end: boolean;
      /** True when the last line is longer than one read can tell. */
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
export const readFile: FileTool<z.infer<typeof Input>, ReadFileValue> = {
  name: "read_file",
  risk: "read_only",
  description:
    "Reads lines of a text file, at most 2,000 lines and 256 KiB at once: go on with `first_line`. Of a file that is no text it says so; read its bytes with `as: base64`.",
  input: Input,
  use: ({ path: written, first_line: first, lines, as, from_byte: from, bytes }) => {
    const linesOf = (path: string): LinesRequest => ({
      path,
      first,
      mostLines: lines,
      mostBytes: MOST_BYTES,
    });
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
            mostBytes: bytes,
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

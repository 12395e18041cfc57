import { z } from "zod";
import { type FileTool, spoken } from "./file-tool.ts";
import { Pattern, WrittenPath } from "./input.ts";
import type { FileAnswer } from "./protocol.ts";
import { gather, startsOf, WALK_MS } from "./walk-roots.ts";

const MAX_FOUND = 500;

export const SearchFilesInput = z
  .strictObject({
    text: Pattern.optional().describe("an exact text; write either `text` or `regex`"),
    regex: Pattern.optional().describe(
      "a regular expression of JavaScript, with the flag `u`, for each line",
    ),
    path: WrittenPath.optional(),
    glob: Pattern.optional().describe("searches only files with a matching path below the folder: `**/*.md`"),
    ignore_case: z.boolean().default(false).describe("matches upper and lower case alike"),
    context: z.int().min(0).max(10).default(0).describe("the number of lines shown before and after a match"),
    limit: z.int().min(1).max(MAX_FOUND).default(100).describe("the maximum number of matches"),
  })
  .refine(({ text, regex }) => (text === undefined) !== (regex === undefined), {
    error: "write either `text` or `regex`",
  });
export type SearchFilesInput = z.input<typeof SearchFilesInput>;

type Answer = FileAnswer<"search">;

/** Lines with matches. `passed_over` counts files that are not text or too large. */
export interface SearchFilesValue {
  readonly matches: readonly {
    readonly path: string;
    readonly line: number;
    readonly column: number;
    readonly text: string;
    readonly is_cut: boolean;
    readonly before: readonly string[];
    readonly after: readonly string[];
  }[];
  readonly files: number;
  readonly passed_over: number;
  readonly stopped: Answer["stopped"];
}

/** Searches files for a text or a regular expression, line by line. */
export const searchFiles: FileTool<z.infer<typeof SearchFilesInput>, SearchFilesValue> = {
  name: "search_files",
  risk: "read_only",
  description:
    "Searches text files, line by line, for a text or a regular expression, in a folder or a file. Without a path, it searches every root.",
  input: SearchFilesInput,
  use: ({ text, regex, path, glob = null, ignore_case: ignoreCase, context, limit }, roots) => ({
    touches: startsOf(path, roots),
    describe: (targets) => `search ${targets.map(spoken).join(", ")} for ${JSON.stringify(text ?? regex)}`,
    preview: null,
    run: async (targets, files) => {
      const wanted =
        text === undefined
          ? ({ kind: "regex", source: regex ?? "", flags: ignoreCase ? "iu" : "u" } as const)
          : ({ kind: "text", text, ignoreCase } as const);
      const counts = { files: 0, passedOver: 0 };
      const { found, stopped } = await gather(targets, limit, async (target, max) => {
        const { answer } = await files.ask<"search">({
          op: "search",
          path: target.path,
          glob,
          wanted,
          context,
          maxFound: max,
          timeMs: WALK_MS,
        });
        counts.files += answer.files;
        counts.passedOver += answer.passedOver;
        return { found: answer.matches, stopped: answer.stopped };
      });
      return {
        matches: found.map(({ isCut, ...match }) => ({
          ...match,
          path: files.shown(match.path),
          is_cut: isCut,
        })),
        files: counts.files,
        passed_over: counts.passedOver,
        stopped,
      };
    },
  }),
};

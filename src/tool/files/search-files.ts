import { z } from "zod";
import { type FileTool, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";
import type { FileAnswer } from "./protocol.ts";
import { gather, startsOf, WALK_MS } from "./walk-roots.ts";

const MOST_FOUND = 500;

const Input = z
  .strictObject({
    /** Stands in a line, to the character. */
    text: z.string().min(1).max(1_000).optional(),
    /** A regular expression of JavaScript, matched line by line, with the flag `u`. */
    regex: z.string().min(1).max(1_000).optional(),
    path: WrittenPath.optional(),
    /** Only files whose path below the folder it matches. */
    glob: z.string().min(1).max(1_000).optional(),
    ignore_case: z.boolean().default(false),
    /** Lines before and behind each match. */
    context: z.int().min(0).max(10).default(0),
    limit: z.int().min(1).max(MOST_FOUND).default(100),
  })
  .refine(({ text, regex }) => (text === undefined) !== (regex === undefined), {
    error: "give either `text` or `regex`",
  });
export type SearchFilesInput = z.input<typeof Input>;

type Answer = FileAnswer<"search">;

/** Lines in which it stands. `passed_over` counts files that are no text or too large. */
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
export const searchFiles: FileTool<z.infer<typeof Input>, SearchFilesValue> = {
  name: "search_files",
  risk: "read_only",
  description:
    "Searches text files, line by line, for a text or a regular expression; in a folder, a file, or without a path in every root.",
  input: Input,
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
      const { found, stopped } = await gather(targets, limit, async (target, most) => {
        const { answer } = await files.ask<"search">({
          op: "search",
          path: target.path,
          glob,
          wanted,
          context,
          mostFound: most,
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

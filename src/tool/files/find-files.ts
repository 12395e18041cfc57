import { z } from "zod";
import { type FileTool, spoken } from "./file-tool.ts";
import { Pattern, WrittenPath } from "./input.ts";
import type { NodeKind } from "./protocol.ts";
import { gather, startsOf, WALK_MS } from "./walk-roots.ts";

const MAX_FOUND = 1_000;

export const FindFilesInput = z.strictObject({
  pattern: Pattern.describe("a glob for the path below the folder: `**/*.md`"),
  path: WrittenPath.optional(),
  limit: z.int().min(1).max(MAX_FOUND).default(200).describe("the maximum number of results"),
});
export type FindFilesInput = z.input<typeof FindFilesInput>;

/** Matches of a pattern. `stopped` says why there may be more. */
export interface FindFilesValue {
  readonly found: readonly { readonly path: string; readonly kind: NodeKind; readonly bytes: number }[];
  readonly stopped: "time" | "found" | "entries" | null;
}

/** Finds files by a pattern on their path. */
export const findFiles: FileTool<z.infer<typeof FindFilesInput>, FindFilesValue> = {
  name: "find_files",
  risk: "read_only",
  description:
    "Finds files and folders by a glob for their path below a folder (`**/*.md`, `src/*/index.ts`; `*` and `**` also match names that begin with a dot). Without a path, it searches every root.",
  input: FindFilesInput,
  use: ({ pattern, path, limit }, roots) => ({
    touches: startsOf(path, roots),
    describe: (targets) => `find ${JSON.stringify(pattern)} in ${targets.map(spoken).join(", ")}`,
    preview: null,
    run: async (targets, files) => {
      const { found, stopped } = await gather(targets, limit, async (target, max) => {
        const { answer } = await files.ask<"find">({
          op: "find",
          path: target.path,
          glob: pattern,
          maxFound: max,
          timeMs: WALK_MS,
        });
        return answer;
      });
      return { found: found.map((one) => ({ ...one, path: files.shown(one.path) })), stopped };
    },
  }),
};

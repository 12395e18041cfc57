import { z } from "zod";
import { type FileTool, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";
import type { FileAnswer, NodeKind } from "./protocol.ts";
import { gather, startsOf, WALK_MS } from "./walk-roots.ts";

const MOST_FOUND = 1_000;

const Input = z.strictObject({
  pattern: z.string().min(1).max(1_000),
  path: WrittenPath.optional(),
  limit: z.int().min(1).max(MOST_FOUND).default(200),
});
export type FindFilesInput = z.input<typeof Input>;

type Stopped = FileAnswer<"find">["stopped"];

/** What a pattern matches. `stopped` says why there may be more. */
export interface FindFilesValue {
  readonly found: readonly { readonly path: string; readonly kind: NodeKind; readonly bytes: number }[];
  readonly stopped: Stopped;
}

/** Finds files by a pattern on their path. */
export const findFiles: FileTool<z.infer<typeof Input>, FindFilesValue> = {
  name: "find_files",
  risk: "read_only",
  description:
    "Finds files and folders by a glob on their path below a folder (`**/*.md`, `src/*/index.ts`; `*` and `**` match names that begin with a dot too); without a path in every root.",
  input: Input,
  use: ({ pattern, path, limit }, roots) => ({
    touches: startsOf(path, roots),
    describe: (targets) => `find ${JSON.stringify(pattern)} in ${targets.map(spoken).join(", ")}`,
    preview: null,
    run: async (targets, files) => {
      const { found, stopped } = await gather(targets, limit, async (target, most) => {
        const { answer } = await files.ask<"find">({
          op: "find",
          path: target.path,
          glob: pattern,
          mostFound: most,
          timeMs: WALK_MS,
        });
        return answer;
      });
      return { found: found.map((one) => ({ ...one, path: files.shown(one.path) })), stopped };
    },
  }),
};

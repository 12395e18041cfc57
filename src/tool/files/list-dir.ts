import { z } from "zod";
import { type FileTool, given, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";
import type { NodeKind } from "./protocol.ts";
import { readName, shownName } from "./written-path.ts";

const MAX_NAMES = 1_000;
/** A name has at most 255 bytes, each escaped in six characters. */
const MAX_NAME = 255 * 6 + 2;

export const ListDirInput = z.strictObject({
  path: WrittenPath.optional(),
  after: z.string().min(1).max(MAX_NAME).optional().describe("the last name of the previous answer"),
  limit: z.int().min(1).max(MAX_NAMES).default(200).describe("the maximum number of names"),
});
export type ListDirInput = z.input<typeof ListDirInput>;

/** Entries of a folder, ordered by the bytes of their names. */
export interface ListDirValue {
  readonly path: string;
  readonly entries: readonly { readonly name: string; readonly kind: NodeKind; readonly bytes: number }[];
  readonly total: number;
  readonly is_end: boolean;
}

/** Lists the entries of a folder. */
export const listDir: FileTool<z.infer<typeof ListDirInput>, ListDirValue> = {
  name: "list_dir",
  risk: "read_only",
  description:
    "Lists the names in a folder, with kind and size; without a path, the roots. At most 1,000 names at once: continue with `after`.",
  input: ListDirInput,
  use: ({ path: written, after = null, limit }, roots) => ({
    touches: written === undefined ? [] : [{ written, argument: "path", need: "read", end: "followed" }],
    describe: ([target]) => (written === undefined ? "list the roots" : `list ${spoken(target)}`),
    preview: null,
    run: async ([touched], files) => {
      if (written === undefined) {
        const entries = roots.map((root) => ({ name: `${root.name}:`, kind: "folder", bytes: 0 }) as const);
        return { path: "", entries, total: entries.length, is_end: true };
      }
      const target = given(touched);
      const behind = after === null ? null : readName(after);
      const request = { op: "list", path: target.path, after: behind, maxNames: limit } as const;
      const { entries, total, isEnd } = (await files.ask<"list">(request)).answer;
      const shown = entries.map((entry) => ({ ...entry, name: shownName(entry.name) }));
      return { path: target.shown, entries: shown, total, is_end: isEnd };
    },
  }),
};

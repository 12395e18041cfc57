import { z } from "zod";
import { type FileTool, given, spoken } from "./file-tool.ts";
import { WrittenPath } from "./input.ts";
import type { NodeKind } from "./protocol.ts";
import { readName, shownName } from "./written-path.ts";

const MOST_NAMES = 1_000;
/** A name has 255 bytes at most, each spelled out in six characters. */
const MOST_NAME = 255 * 6 + 2;

const Input = z.strictObject({
  /** Without one, the roots themselves. */
  path: WrittenPath.optional(),
  /** Goes on behind this name: the last of the answer before. */
  after: z.string().min(1).max(MOST_NAME).optional(),
  limit: z.int().min(1).max(MOST_NAMES).default(200),
});
export type ListDirInput = z.input<typeof Input>;

/** What is in a folder, in the order of the names' bytes. */
export interface ListDirValue {
  readonly path: string;
  readonly entries: readonly { readonly name: string; readonly kind: NodeKind; readonly bytes: number }[];
  /** So many names the folder has in all. */
  readonly total: number;
  readonly is_end: boolean;
}

/** Names what is in a folder. */
export const listDir: FileTool<z.infer<typeof Input>, ListDirValue> = {
  name: "list_dir",
  risk: "read_only",
  description:
    "Names what is in a folder, with kind and size; without a path, the roots that there are. At most 1,000 names at once: go on with `after`.",
  input: Input,
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
      const request = { op: "list", path: target.path, after: behind, mostNames: limit } as const;
      const { entries, total, isEnd } = (await files.ask<"list">(request)).answer;
      const shown = entries.map((entry) => ({ ...entry, name: shownName(entry.name) }));
      return { path: target.shown, entries: shown, total, is_end: isEnd };
    },
  }),
};

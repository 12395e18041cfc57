import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The checkout. */
export const ROOT = join(import.meta.dirname, "../../..");

/** A fenced block of a page, with the HTML comments right above it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** `file: NAME`, `setup: COMMAND`, `not run: REASON` of the comments above it. */
  readonly marks: readonly Mark[];
  /** The file of `examples/` that the line above it links to. */
  readonly example: string | null;
}

/** A comment of a page that the tests read: `<!-- setup: mkdir site -->`. */
export interface Mark {
  readonly key: "file" | "setup" | "not run";
  readonly value: string;
}

/** Pages that are written by hand and shown to people; `docs/reference` is generated, and tested where it is. */
export const PAGES: readonly string[] = [
  "README.md",
  "docs/README.md",
  ...globSync("docs/{guide,how-to,explanation}/**/*.md", { cwd: ROOT }).toSorted(),
];

/** The text of a page. */
export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const MARK = /^<!-- (file|setup|not run): (.*) -->$/;
const EXAMPLE = /\]\((?:\.\.\/)*(examples\/\S+?\.ts)\)/;

/** The blocks of a page, in its order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let above: string[] = [];
  let open: { readonly language: string; readonly lines: string[] } | null = null;
  for (const line of page.split("\n")) {
    if (open !== null && line !== "```") open.lines.push(line);
    else if (open !== null) {
      blocks.push({ language: open.language, text: `${open.lines.join("\n")}\n`, ...marksAbove(above) });
      [open, above] = [null, []];
    } else if (line.startsWith("```")) open = { language: line.slice(3), lines: [] };
    else if (line.trim() !== "") above = [...above, line];
  }
  return blocks;
}

/** The comments right above a block, and the example that the line above it links to. */
function marksAbove(lines: readonly string[]): Pick<Block, "marks" | "example"> {
  const last = lines.findLastIndex((line) => !MARK.test(line));
  const marks = lines.slice(last + 1).flatMap((line): Mark[] => {
    const [, key, value = ""] = MARK.exec(line) ?? [];
    return key === "file" || key === "setup" || key === "not run" ? [{ key, value }] : [];
  });
  return { marks, example: EXAMPLE.exec(lines[last] ?? "")?.[1] ?? null };
}

/** The value of a block's mark, or null. */
export function markOf({ marks }: Block, key: Mark["key"]): string | null {
  return marks.find((mark) => mark.key === key)?.value ?? null;
}

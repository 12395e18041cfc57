import { posix } from "node:path";
import { fileNameOf } from "../shell/rule.ts";

/** How a command takes folders away that its words name. */
export type TakingAway = "remove" | "remove-worktree" | "move";

/** Programs that remove what stands behind them, also behind another program (`env rm`, `npx rimraf`). */
const REMOVERS: ReadonlySet<string> = new Set(["rm", "rmdir", "rimraf", "del-cli", "trash"]);
const MOVERS: ReadonlySet<string> = new Set(["mv"]);

/**
 * How the commands of a call take away what has one of these names; null where none names exactly that. `commands` are
 * words, `names` paths from the folders that relative ones may begin in, and whole ones.
 */
export function takenAway(
  commands: readonly (readonly string[])[],
  names: readonly string[],
): TakingAway | null {
  for (const words of commands) {
    const taking = takingOf(words);
    if (taking?.operands.some((word) => names.includes(plainly(word))) === true) return taking.how;
  }
  return null;
}

function takingOf(
  words: readonly string[],
): { readonly how: TakingAway; readonly operands: readonly string[] } | null {
  const program = fileNameOf(words[0] ?? "");
  if (program === "git") {
    const at = words.indexOf("worktree");
    const isRemoval = at !== -1 && words.slice(at + 1).find((word) => !word.startsWith("-")) === "remove";
    return isRemoval ? { how: "remove-worktree", operands: words.slice(at + 2) } : null;
  }
  if (program === "find")
    return words.includes("-delete") ? { how: "remove", operands: words.slice(1) } : null;
  for (const [at, word] of words.entries()) {
    const operands = words.slice(at + 1);
    if (REMOVERS.has(fileNameOf(word))) return { how: "remove", operands };
    if (MOVERS.has(fileNameOf(word))) return { how: "move", operands };
  }
  return null;
}

/** A name without `./`, `//`, `a/..` and what ends a folder. */
function plainly(word: string): string {
  const path = posix.normalize(word);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

import { resolve } from "node:path";
import type { AbsolutePath } from "../../profile/path.ts";
import { fileNameOf } from "../../shell/rule.ts";

/** The words of each command of a call, with those in lines that it hands to a shell; and its start folder. */
export interface Commands {
  readonly commands: readonly (readonly string[])[];
  readonly cwd: AbsolutePath;
}

/** How a call removes or moves a folder. */
export type TakingAway = "remove" | "remove-worktree" | "move";

/** How a call removes or moves exactly this folder; null with several commands: it is unknown which one failed. */
export function takenAway({ commands, cwd }: Commands, folder: AbsolutePath): TakingAway | null {
  const taking = takingOf(onlyOne(commands), cwd);
  // After a link, `..` leads elsewhere.
  const isIt = (one: string): boolean =>
    !/(?:^|\/)\.\.(?:\/|$)/.test(one) && resolve(taking?.from ?? cwd, one) === folder;
  return taking?.folders.some(isIt) === true ? taking.how : null;
}

/** The only command of a call, also if a shell is started just for it. */
function onlyOne(commands: readonly (readonly string[])[]): readonly string[] {
  const [first = [], second = []] = commands;
  if (commands.length === 1) return first;
  const [shell = "", option = ""] = first;
  const isForOne = commands.length === 2 && first.length === 3 && /^-l?c$/.test(option);
  return isForOne && /^(?:ba|da|z|k)?sh$/.test(fileNameOf(shell)) ? second : [];
}

interface Taking {
  readonly how: TakingAway;
  readonly folders: readonly string[];
  readonly from: string;
}

function takingOf([word = "", ...words]: readonly string[], cwd: AbsolutePath): Taking | null {
  const { options, operands } = split(words);
  switch (fileNameOf(word)) {
    case "rm": {
      const isRecursive = options.some((one) => one === "--recursive" || /^-[a-zA-Z]*[rR]/.test(one));
      const isDone = !options.some((one) => one === "--help" || one === "--version");
      return isRecursive && isDone ? { how: "remove", folders: operands, from: cwd } : null;
    }
    case "mv":
      return { how: "move", folders: operands, from: cwd };
    case "git":
      return worktreeRemoval(words, cwd);
    default:
      return null;
  }
}

function worktreeRemoval(words: readonly string[], cwd: AbsolutePath): Taking | null {
  const [option, folder = ""] = words;
  const [from, rest] = option === "-C" ? [resolve(cwd, folder), words.slice(2)] : [cwd, words];
  const [verb, act, ...more] = rest;
  if (verb !== "worktree" || act !== "remove") return null;
  return { how: "remove-worktree", folders: split(more).operands, from };
}

function split(words: readonly string[]): {
  readonly options: readonly string[];
  readonly operands: readonly string[];
} {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  return {
    options: before.filter((word) => word.startsWith("-")),
    operands: [
      ...before.filter((word) => !word.startsWith("-")),
      ...(end === -1 ? [] : words.slice(end + 1)),
    ],
  };
}

const TAKING: ReadonlySet<string> = new Set(["rm", "rimraf", "trash", "mv"]);

/** True if a command of the call would remove or move a folder with one of these names. */
export function seemsTakenAway({ commands, cwd }: Commands, names: readonly string[]): boolean {
  return commands.some((words) => {
    const [word = ""] = words;
    const isMeant = TAKING.has(fileNameOf(word)) || worktreeRemoval(words.slice(1), cwd) !== null;
    return isMeant && words.slice(1).some((one) => names.includes(plainly(one)));
  });
}

function plainly(word: string): string {
  return word.replace(/^(?:\.\/+)+/, "").replace(/(?<=.)\/+$/, "");
}

import { z } from "zod";
import { visible } from "../errors.ts";
import type { Hazard } from "../shell/hazards.ts";
import { coversWords, matchesWord, shellPattern } from "../shell/rule.ts";
import type { ShellTouch } from "../shell/touch.ts";
import { isOpaque } from "../shell/word.ts";
import { isActOfBash } from "./act-of-bash.ts";
import type { Json } from "./canonical-json.ts";
import type { CommandLine, JudgedCommand } from "./command.ts";
import { prefixOf } from "./prefixes.ts";
import { readCommands } from "./reading.ts";
import type { Invocation } from "./tool-rule.ts";

/** Maximum of patterns in one cover: no person reads more. */
export const MAX_PATTERNS = 12;
/** Maximum of characters in a pattern. */
export const MAX_PATTERN_LENGTH = 1_000;

const CommandCover = z
  .strictObject({
    of: z.literal("commands").describe("command lines of the tool `shell`"),
    patterns: z
      .array(
        z
          .strictObject({
            pattern: z
              .string()
              .min(1)
              .max(MAX_PATTERN_LENGTH)
              .regex(/^[^*]+$/)
              .describe("the first words of a command, as in `shell.rules`, without `*`"),
            exact: z.boolean().describe("true: nothing may follow these words"),
          })
          .readonly(),
      )
      .min(1)
      .max(MAX_PATTERNS)
      .readonly()
      .describe("each program of a line must match one of them, in any folder"),
  })
  .readonly();

const ToolCover = z
  .strictObject({
    of: z.literal("tool").describe("calls of one tool"),
    tool: z.string().min(1).describe("the name of the tool"),
    version: z.string().describe("the version of the tool"),
    args: z
      .record(z.string(), z.string())
      .describe("a glob for each argument that is limited, as in `approval.rules`"),
    others: z.enum(["free", "none"]).describe("whether a call may have other arguments"),
  })
  .readonly();

/** The calls that a remembered approval covers, as rules of a config would state them. */
export const CallCover = z.discriminatedUnion("of", [CommandCover, ToolCover]);
export type CallCover = z.infer<typeof CallCover>;

/** A call as covers are compared with it. */
export interface CoverableCall extends Pick<Invocation, "tool" | "agent" | "argument" | "input"> {
  readonly version: string;
  /** The command line of the tool `shell`; null for any other tool. */
  readonly line: CommandLine | null;
}

/**
 * True if a cover covers a call. Of a command line it covers all of it or nothing: each program as written, by words
 * that are all known, of a file that no call can have written. It covers no line with an unread part, with a word of a
 * program that only bash knows, with a program that runs its words, or with a redirect that writes. Words may follow a
 * pattern only where `prefixOf` permits it, and where none of them makes the program do more than its name says. Acts
 * of bash itself need no pattern, but a line of nothing else is not covered. A folder is no part of a cover: `cd` leads
 * to the same ones as the argument `cwd`.
 */
export function coversCall(
  cover: CallCover,
  { tool, version, line, input, argument }: CoverableCall,
): boolean {
  if (cover.of === "commands") return tool === "shell" && line !== null && coversLine(cover, line);
  if (line !== null || tool !== cover.tool || version !== cover.version) return false;
  if (cover.others === "none" && !argumentNames(input).every((name) => Object.hasOwn(cover.args, name)))
    return false;
  return Object.entries(cover.args).every(([name, glob]) => {
    const value = argument(name);
    return value !== undefined && matchesWord(glob, value);
  });
}

function coversLine({ patterns }: z.infer<typeof CommandCover>, line: CommandLine): boolean {
  if (line.commands.length === 0 || line.unread.length > 0 || !line.touches.every(isHarmless)) return false;
  const isMoved = line.touches.some(({ act }) => act === "move");
  const parsed = patterns.map(({ pattern, exact }) => ({ pattern: shellPattern(pattern), exact }));
  const isMatched = ({ words }: JudgedCommand, hazard: Hazard | null): boolean =>
    parsed.some(({ pattern, exact }) => {
      if (words.some(isOpaque) || !coversWords(pattern, words, exact)) return false;
      return exact || (hazard === null && prefixOf(words, true)?.length === pattern.words.length);
    });
  const reads = readCommands(line.commands, () => null);
  return (
    reads.every(({ command, isNameUnknown, isProgramUnread, hazard }) => {
      const { words, programFile } = command;
      if (isActOfBash(words, line)) return true;
      if (isNameUnknown || isProgramUnread || programFile !== "fixed") return false;
      const [program = ""] = words;
      // Only bash knows where such a path leads once it has changed its folder.
      if (isMoved && program.includes("/") && !program.startsWith("/")) return false;
      return isMatched(command, hazard);
    }) && reads.some(({ command, hazard }) => isMatched(command, hazard))
  );
}

/** The names of a call's arguments; one that no argument can have if they are not named. */
function argumentNames(input: Json): readonly string[] {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? Object.keys(input) : [""];
}

/**
 * A file that is read, or a folder that is entered, is what the sandbox gives to every call. A variable of a line
 * without unread parts makes no program run anything.
 */
function isHarmless(touch: ShellTouch): boolean {
  if (touch.act === "set") return true;
  if (touch.path === null) return false;
  return touch.act === "move" || touch.mode === "read" || touch.path === "/dev/null";
}

/** The end of every cover of command lines in words. */
const ANYWHERE = "in any folder, also beside bash's own `cd`, `export`, `[` and the like";

/** A cover in words: exactly the calls that it covers. */
export function coverInWords(cover: CallCover): string {
  if (cover.of === "tool") {
    const named = Object.entries(cover.args).map(([name, glob]) => `\`${name}\` is ${visible(glob)}`);
    const [tool, isFree] = [visible(cover.tool), cover.others === "free"];
    if (named.length === 0) return `${tool} ${isFree ? "with any arguments" : "without arguments"}`;
    return `${tool} where ${named.join(" and ")}, ${isFree ? "with any other arguments" : "without other arguments"}`;
  }
  const patterns = cover.patterns.map(({ pattern, exact }) =>
    exact ? `exactly ${visible(pattern)}` : `${visible(pattern)} with any further arguments`,
  );
  return patterns.length === 1
    ? `the command ${patterns.join("")}, ${ANYWHERE}`
    : `lines of these commands only, ${ANYWHERE}: ${patterns.join("; ")}`;
}

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
 * True if a cover covers a call. It covers all of a command line or nothing of it: each program as written, by words
 * that are all known, of a file that no call can have written. It covers no line with an unread part, with a word of a
 * program that only bash knows, with a program that runs its words, or with a redirect that writes. Words may follow a
 * pattern only where `prefixOf` permits it, and where none of them makes the program do more than its name says. Only
 * such a program may get its input from the line: what is in `psql <<< …` is not among the words. Acts of bash itself
 * need no pattern, but a line of nothing else is not covered. A folder is no part of a cover: `cd` leads to the same
 * ones as the argument `cwd`. A program that is named by a relative path is another one in another folder.
 */
export function coversCall(cover: CallCover, call: CoverableCall): boolean {
  const { tool, version, line, input, argument } = call;
  if (cover.of === "commands") return tool === "shell" && line !== null && coversLine(cover, line, argument);
  if (line !== null || tool !== cover.tool || version !== cover.version) return false;
  if (cover.others === "none" && !argumentNames(input).every((name) => Object.hasOwn(cover.args, name)))
    return false;
  return Object.entries(cover.args).every(([name, glob]) => {
    const value = statedArgument(call, name);
    return value !== undefined && matchesWord(glob, value);
  });
}

/** A longer text is no other value's. */
const MAX_JSON_TEXT = 4 * MAX_PATTERN_LENGTH;

/**
 * An argument as covers state it, different for different values: as for rules, but in quotes if it is a text that
 * would be another value without them. A tool may do one thing for `"false"`, and the opposite for `false`.
 */
export function statedArgument(
  { input, argument }: Pick<CoverableCall, "input" | "argument">,
  name: string,
): string | undefined {
  const text = argument(name);
  if (text === undefined || typeof input !== "object" || input === null) return text;
  const value: unknown = Object.getOwnPropertyDescriptor(input, name)?.value;
  return typeof value === "string" && isJsonText(text) ? JSON.stringify(text) : text;
}

function isJsonText(text: string): boolean {
  if (text.length > MAX_JSON_TEXT || !/^\s*["{[\d\-tfn]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function coversLine(
  { patterns }: z.infer<typeof CommandCover>,
  line: CommandLine,
  argument: Invocation["argument"],
): boolean {
  if (line.commands.length === 0 || line.unread.length > 0 || !line.touches.every(isHarmless)) return false;
  const isMoved = line.touches.some(({ act }) => act === "move") || argument("cwd") !== undefined;
  const parsed = patterns.map(({ pattern, exact }) => ({ pattern: shellPattern(pattern), exact }));
  const isMatched = ({ words, isFed }: JudgedCommand, hazard: Hazard | null): boolean => {
    const isGeneral = hazard === null && prefixOf(words, true) !== null;
    if (words.some(isOpaque) || (isFed === true && !isGeneral)) return false;
    return parsed.some(
      ({ pattern, exact }) =>
        coversWords(pattern, words, exact) &&
        (exact || (hazard === null && prefixOf(words, true)?.length === pattern.words.length)),
    );
  };
  const reads = readCommands(line.commands, () => null);
  return (
    reads.every(({ command, isNameUnknown, isProgramUnread, hazard }) => {
      const { words, programFile } = command;
      if (isActOfBash(words, line)) return true;
      if (isNameUnknown || isProgramUnread || programFile !== "fixed") return false;
      const [program = ""] = words;
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
export function isHarmless(touch: ShellTouch): boolean {
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

import { z } from "zod";
import { visible } from "../errors.ts";
import { coversWords, matchesWord, shellPattern } from "../shell/rule.ts";
import type { ShellTouch } from "../shell/touch.ts";
import { isOpaque } from "../shell/word.ts";
import type { Json } from "./canonical-json.ts";
import type { CommandLine } from "./command.ts";
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
      .describe("each command of a line must match one of them"),
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
 * True if a cover covers a call. Of a command line it covers all of it or nothing: each command as written, by words
 * that are all known, of a program that no call can have written. It covers no line with an unread part, with a word
 * that only bash knows, with a program that runs its words, or with a redirect that writes. Words may follow a pattern
 * only where `prefixOf` permits it, and where none of them makes the program do more than its name says. Only such a
 * program may get its input from the line: what is in `psql <<< …` is not among the words. A program that is named by a
 * relative path is another one in another folder.
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
  return readCommands(line.commands, () => null).every(
    ({ command: { words, programFile, isFed }, isNameUnknown, isProgramUnread, hazard }) => {
      const [program = ""] = words;
      if (isNameUnknown || isProgramUnread || programFile !== "fixed" || words.some(isOpaque)) return false;
      if (isMoved && program.includes("/") && !program.startsWith("/")) return false;
      if (isFed === true && (hazard !== null || prefixOf(words, true) === null)) return false;
      return parsed.some(({ pattern, exact }) => {
        if (!coversWords(pattern, words, exact)) return false;
        return exact || (hazard === null && prefixOf(pattern.words, true)?.length === pattern.words.length);
      });
    },
  );
}

/** The names of a call's arguments; one that no argument can have if they are not named. */
function argumentNames(input: Json): readonly string[] {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? Object.keys(input) : [""];
}

/** A file that is read, or a folder that is entered, is what the sandbox gives to every call. */
function isHarmless(touch: ShellTouch): boolean {
  if (touch.act === "set" || touch.path === null) return false;
  return touch.act === "move" || touch.mode === "read" || touch.path === "/dev/null";
}

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
    ? `the command ${patterns.join("")}`
    : `lines of these commands only: ${patterns.join("; ")}`;
}

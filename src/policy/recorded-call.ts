import { parseLine } from "../shell/parse.ts";
import { quoted } from "../shell/quote.ts";
import { fileNameOf } from "../shell/rule.ts";
import { canonicalJson, type Json, parseJson } from "./canonical-json.ts";
import type { CommandLine } from "./command.ts";
import { type CallCover, type CoverableCall, coversCall } from "./cover.ts";
import { isShownWhole } from "./redactions.ts";
import type { ApprovalRequest } from "./request.ts";
import { invocationOf } from "./tool-rule.ts";

/** A longer call is no example. */
const MAX_LENGTH = 2_000;

/** A call that was recorded, by its words alone: as an example for rules. */
export interface RecordedCall {
  /** A command line, or `NAME {"its": "arguments"}`. */
  readonly text: string;
  readonly tool: string;
}

/** The call of a stored request; null if it was not shown whole, or is too long. */
export function recordedCall({
  tool,
  safeArgs,
  redactions,
}: Pick<ApprovalRequest, "tool" | "safeArgs" | "redactions">): RecordedCall | null {
  if (!isShownWhole(redactions)) return null;
  const text = tool === "shell" ? lineOf(safeArgs) : `${tool} ${canonicalJson(safeArgs)}`;
  return text === null || text.length > MAX_LENGTH ? null : { tool, text };
}

/** True if a cover would cover a recorded call: its programs are taken for those that no call has written. */
export function coversRecorded(cover: CallCover, recorded: RecordedCall): boolean {
  const call = coverableOf(cover, recorded);
  return call !== null && coversCall(cover, call);
}

/** True if a rule's examples are as it says: it covers the one kind, and none of the other. */
export function holdsExamples(
  cover: CallCover,
  { match, notMatch }: { readonly match: readonly string[]; readonly notMatch: readonly string[] },
): boolean {
  const tool = cover.of === "commands" ? "shell" : cover.tool;
  const isCovered = (text: string): boolean => coversRecorded(cover, { tool, text });
  return match.every(isCovered) && !notMatch.some(isCovered);
}

function coverableOf(cover: CallCover, { tool, text }: RecordedCall): CoverableCall | null {
  if (cover.of === "commands") return tool === "shell" ? recordedLine(text) : null;
  if (tool !== cover.tool || !text.startsWith(`${tool} `)) return null;
  try {
    const input = parseJson(text.slice(tool.length + 1));
    return { ...invocationOf(tool, input, null), version: cover.version, line: null };
  } catch {
    return null;
  }
}

/** A recorded command line as covers are compared with it. */
export function recordedLine(text: string): CoverableCall {
  return { ...invocationOf("shell", {}, null), version: "", line: asWritten(text) };
}

function asWritten(text: string): CommandLine {
  const { commands, touches, unread, plain } = parseLine(text);
  return {
    commands: commands.map(({ words, ...fed }) => ({
      words,
      ...fed,
      programNames: [fileNameOf(words[0])],
      programFile: "fixed",
      arePathsInside: () => true,
      gains: null,
    })),
    touches,
    gains: null,
    unread,
    shell: plain === null ? ["bash"] : null,
  };
}

function lineOf(args: Json): string | null {
  if (typeof args !== "object" || args === null || !("argv" in args || "script" in args)) return null;
  if ("script" in args) return typeof args["script"] === "string" ? args["script"] : null;
  const { argv } = args;
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === "string") : [];
  return words.length === 0 ? null : quoted(words);
}

import { isUtf8 } from "node:buffer";
import type { Json } from "../policy/canonical-json.ts";
import type { Presentation } from "../policy/presentation.ts";
import { quotedHead } from "../shell/quote.ts";
import { diffText } from "./diff-text.ts";
import { byteLength, headOf, linesOf, MAX_BYTES, type TextHead } from "./head.ts";
import { languageOf } from "./language.ts";
import { mediaTypeOf, printBytes } from "./media-type.ts";
import { type PresentOptions, shown } from "./shown.ts";
import { structuredHead } from "./structured-text.ts";

/** The content of a file: bytes as read, or the text to be written. */
export type FileContent = Uint8Array | string;

/** A text as it is. */
export function presentText(text: string, options: PresentOptions = {}): Presentation {
  return { type: "text", ...shown(headOf(text), options) };
}

/** A value as indented JSON, with its keys in their own order. */
export function presentStructured(value: Json, options: PresentOptions = {}): Presentation {
  return { type: "structured", ...shown(structuredHead(value), options) };
}

/**
 * The command of a call, and its folder. Words are quoted on one line; a script is shown as it is, and
 * `metadata.program` names its interpreter.
 */
export function presentCommand(
  command: {
    readonly words: readonly string[];
    /** The one of the words that is a script. */
    readonly script?: string | undefined;
    readonly cwd: string;
  },
  options: PresentOptions = {},
): Presentation {
  const { words, script, cwd } = command;
  const common = { type: "command", language: "shell", about: cwd } as const;
  if (script === undefined) return { ...common, ...shown(wordsHead(words), options) };
  const { content: program } = shown(wordsHead(words.filter((word) => word !== script)), options);
  return { ...common, ...shown(headOf(script), options), metadata: { program } };
}

/** The beginning of words on one line; of the others only the size is shown. */
function wordsHead(words: readonly string[]): TextHead {
  const { line, rest } = quotedHead(words, MAX_BYTES);
  const bytes = rest.reduce((sum, word) => sum + byteLength(word) + 1, 0);
  return headOf(line, { lines: bytes === 0 ? 0 : linesOf(rest.join(" ")), bytes });
}

/** The content of a new file. For binary content (NUL, or not UTF-8) only the kind and the size are shown. */
export function presentFile(
  file: { readonly path: string; readonly content: FileContent; readonly language?: string | undefined },
  options: PresentOptions = {},
): Presentation {
  const { path, content, language = languageOf(path) } = file;
  if (isBinary(content)) return textAbout(path, `Binary file: ${kindAndSize(content)}`);
  const inLanguage = language === undefined ? {} : { language };
  return { type: "file_content", about: path, ...inLanguage, ...shown(headOf(content), options) };
}

/**
 * The changes in a file: the hunks of a unified diff, without a header, as `about` has the path. Without any hunks, a
 * text says why; for texts too large or too different to compare, `fullContent` then has the new one.
 */
export function presentDiff(
  file: { readonly path: string; readonly before: FileContent; readonly after: FileContent },
  options: PresentOptions = {},
): Presentation {
  const { path, before, after } = file;
  if (isSame(before, after)) return textAbout(path, "No change: both are identical");
  if (isBinary(before) || isBinary(after))
    return textAbout(path, `Binary file: ${kindAndSize(before)} → ${kindAndSize(after)}`);
  const diff = diffText(before, after);
  if (diff.kind === "hunks") return { type: "diff", about: path, ...shown(headOf(diff.text), options) };
  const lines = `${lineCount(before)} → ${lineCount(after)}`;
  const { content, fullContent = content } = shown(headOf(after), options);
  const why = textAbout(path, `Too ${diff.kind} to show line by line: ${lines}`);
  return { ...why, fullContent: `${why.content}\n\n${fullContent}` };
}

function textAbout(path: string, content: string): Presentation {
  return { type: "text", about: path, content };
}

/** True for content with NUL or not in UTF-8: a person could not see it in a text. */
function isBinary(content: FileContent): boolean {
  if (typeof content === "string") return content.includes("\0");
  return content.includes(0) || !isUtf8(content);
}

/** `image/png (2.3 KB)` */
function kindAndSize(content: FileContent): string {
  return `${mediaTypeOf(content)} (${printBytes(byteLength(content))})`;
}

function lineCount(content: FileContent): string {
  const count = linesOf(content);
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

function isSame(before: FileContent, after: FileContent): boolean {
  if (typeof before === "string" && typeof after === "string") return before === after;
  return Buffer.compare(bytesOf(before), bytesOf(after)) === 0;
}

function bytesOf(content: FileContent): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

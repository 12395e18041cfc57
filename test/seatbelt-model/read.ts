import { giveUp, refuse } from "./fault.ts";

/** One expression of a profile's text, with the line on which it begins. */
export type Expression =
  | { readonly kind: "list"; readonly line: number; readonly items: readonly Expression[] }
  | { readonly kind: "symbol"; readonly line: number; readonly name: string }
  | { readonly kind: "quoted"; readonly line: number; readonly name: string }
  | { readonly kind: "number"; readonly line: number; readonly value: number }
  /** `source` is what stands between the quotes: what it means depends on `isSharp` and on the reading. */
  | { readonly kind: "string"; readonly line: number; readonly source: string; readonly isSharp: boolean };

/** How many bytes a string in the text may have; `Error reading string` says the system of a longer one. */
export const MAX_STRING_BYTES = 1025;

/**
 * The expressions of a text. It throws a `Fault` on what is no text of a profile: parentheses or strings without an end,
 * letters other than ASCII, a string over 1,025 bytes.
 */
export function read(text: string): readonly Expression[] {
  const open: { readonly line: number; readonly items: Expression[] }[] = [];
  const all: Expression[] = [];
  const add = (expression: Expression) => (open.at(-1)?.items ?? all).push(expression);
  for (const token of tokens(text)) {
    if (token.kind === "open") {
      open.push({ line: token.line, items: [] });
    } else if (token.kind === "close") {
      const list = open.pop() ?? refuse(token.line, "a closing parenthesis without an opening one");
      add({ kind: "list", ...list });
    } else {
      add(token);
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) refuse(unclosed.line, "a list without an end");
  return all;
}

type Atom = Exclude<Expression, { kind: "list" }>;
type Token =
  | Atom
  | { readonly kind: "open"; readonly line: number }
  | { readonly kind: "close"; readonly line: number };

function* tokens(text: string): Generator<Token> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "\n") {
      line += 1;
      at += 1;
    } else if (char === " " || char === "\t" || char === "\r") {
      at += 1;
    } else if (char === ";") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
    } else if (char === "(" || char === ")") {
      yield { kind: char === "(" ? "open" : "close", line };
      at += 1;
    } else if (char === '"' || text.startsWith('#"', at)) {
      const isSharp = char === "#";
      const start = at + (isSharp ? 2 : 1);
      const source = stringSource(text, start, isSharp, line);
      yield { kind: "string", line, source, isSharp };
      at = start + source.length + 1;
    } else {
      const word = wordAt(text, at);
      yield atom(word, line);
      at += word.length;
    }
  }
}

const WORD_END = new Set(["(", ")", '"', ";", " ", "\t", "\r", "\n"]);

function wordAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && !WORD_END.has(text.charAt(end))) end += 1;
  return text.slice(start, end);
}

function atom(word: string, line: number): Atom {
  if (!/^[!-~]+$/.test(word)) refuse(line, "a letter other than ASCII outside of strings and comments");
  if (/^[+-]?[0-9]+$/.test(word)) return { kind: "number", line, value: Number(word) };
  if (/^#x[0-9a-fA-F]+$/.test(word))
    return { kind: "number", line, value: Number.parseInt(word.slice(2), 16) };
  if (/^'[^'`,#]+$/.test(word)) return { kind: "quoted", line, name: word.slice(1) };
  if (/^[#'`,]/.test(word)) giveUp(line, `the word \`${word}\``);
  return { kind: "symbol", line, name: word };
}

function stringSource(text: string, start: number, isSharp: boolean, line: number): string {
  let characters = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') {
      const source = text.slice(start, at);
      checkString(source, isSharp ? source.length : characters, line);
      return source;
    }
    characters += 1;
    if (char !== "\\") continue;
    // In `#"…\"` the reading would decide where the string ends.
    if (isSharp && text.charAt(at + 1) === '"') giveUp(line, 'a backslash before a quote in `#"…"`');
    if (isSharp && text.charAt(at + 1) !== "\\") continue;
    at += 1;
  }
  return refuse(line, "a string without an end");
}

function checkString(source: string, characters: number, line: number): void {
  if (!/^[ -~]*$/.test(source))
    giveUp(line, "a string with a control character or a letter other than ASCII");
  if (characters > MAX_STRING_BYTES) refuse(line, `a string of ${characters} bytes`);
  if (source.length > MAX_STRING_BYTES)
    giveUp(line, `a string of over ${MAX_STRING_BYTES} bytes with its escapes`);
}

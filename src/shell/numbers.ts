import type { Command, For, Statement, SyntaxNode, Word } from "unbash";
import { isNumberWord, textOf } from "./word.ts";

/** A part of a line, by the positions of its characters. */
interface LineSpan {
  readonly from: number;
  readonly to: number;
}

/** Builtins that set the variables which their words name; `doubtAboutVariable` admits no others. */
const SETTING: ReadonlySet<string> = new Set(["export", "read", "unset"]);
/** Numbers from braces: `{1..9}`. */
const RANGE = /^\{\d+\.\.\d+(\.\.\d+)?\}$/;

/**
 * Proves that a variable holds a number where bash calculates with it, as bash evaluates its value again. It does if
 * everything that the line sets it to is a number, and if an assignment that can't fail is surely reached before.
 */
export class NumberProof {
  readonly #others = new Set<string>();
  readonly #spans = new Map<string, LineSpan[]>();

  /** True if the variable surely holds a number at a position. Known only when the whole line has been noted. */
  isNumber(name: string, at: number): boolean {
    if (this.#others.has(name)) return false;
    return this.#spans.get(name)?.some(({ from, to }) => from <= at && at <= to) ?? false;
  }

  /** Notes how a part of the line sets variables. */
  note(node: SyntaxNode): void {
    if (node.type === "Script" || node.type === "CompoundList")
      for (const statement of node.commands) this.#noteFirst(statement, node.end);
    if (node.type === "Command") this.#noteCommand(node);
    if (node.type === "For") this.#noteLoop(node);
  }

  /** A number that a statement sets before anything else is set until the end of its list. */
  #noteFirst({ command, background }: Statement, to: number): void {
    const first = command.type === "AndOr" ? command.commands[0] : command;
    if (background === true || first?.type !== "Command" || first.name !== undefined) return;
    if (first.prefix.some(({ type }) => type !== "Assignment")) return;
    for (const one of first.prefix)
      if (one.type === "Assignment" && one.value.type === "Word" && isSureNumber(one.value))
        this.#setWithin(one.name, { from: one.end, to });
  }

  #noteCommand({ prefix, name, suffix }: Command): void {
    for (const one of prefix) {
      if (one.type !== "Assignment") continue;
      const isPlain = name === undefined && one.index === undefined && one.append !== true;
      if (!isPlain || one.value.type !== "Word" || !isNumberWord(one.value, () => false))
        this.#others.add(one.name);
    }
    if (name === undefined || !SETTING.has(textOf(name).text)) return;
    for (const one of suffix) {
      if (one.type === "Assignment") this.#others.add(one.name);
      if (one.type === "Word") this.#others.add(/^\w*/.exec(textOf(one).text)?.[0] ?? "");
    }
  }

  #noteLoop({ name, wordlist = [], body }: For): void {
    const isNumbers = wordlist.every((word) => isDigits(word) || RANGE.test(word.text));
    if (isNumbers && wordlist.length > 0) this.#setWithin(name.text, { from: body.pos, to: body.end });
    else this.#others.add(name.text);
  }

  #setWithin(name: string, span: LineSpan): void {
    const spans = this.#spans.get(name) ?? [];
    spans.push(span);
    this.#spans.set(name, spans);
  }
}

/** True for a number that is set without fail: a calculation may divide by zero. */
function isSureNumber(word: Word): boolean {
  return isDigits(word) || (isNumberWord(word, () => false) && !word.text.includes("(("));
}

function isDigits(word: Word): boolean {
  return /^\d+$/.test(textOf(word).text);
}

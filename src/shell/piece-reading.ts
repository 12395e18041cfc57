import type { SyntaxNode } from "unbash";
import { NumberProof } from "./numbers.ts";
import { isFeeding } from "./redirect.ts";
import { commandEffect, commandOf, type SimpleCommand } from "./simple-command.ts";
import { effectOf } from "./syntax.ts";
import { doubtful, repeatedEffect, type ShellEffect } from "./touch.ts";
import { isTorn } from "./word.ts";

/** The reason in `unread` for a line that has an error in it, or that the parser gave up on. */
export const NOT_PARSED = "it can't be parsed";

/** Everything found in a piece of a line, in its order. */
export class PieceReading {
  readonly #piece: string;
  readonly #commands: SimpleCommand[] = [];
  readonly #numbers = new NumberProof();
  readonly #effects: (() => ShellEffect)[] = [];
  #loops = 0;
  /** How many of the nodes around the next one give input to everything in them. */
  #feeding = 0;

  constructor(piece: string) {
    this.#piece = piece;
  }

  /** Notes a node before its parts; gives the words of a command. */
  enter(node: SyntaxNode, parent: SyntaxNode | null): readonly string[] {
    this.#numbers.note(node);
    if (isLoop(node)) this.#loops += 1;
    if (isFed(node, parent)) this.#feeding += 1;
    const command = node.type === "Command" ? commandOf(node) : null;
    if (command !== null) this.#commands.push(this.#feeding > 0 ? { ...command, isFed: true } : command);
    return command?.words ?? [];
  }

  leave(node: SyntaxNode, parent: SyntaxNode | null, words: readonly string[]): void {
    const isNumber = (name: string, at: number): boolean => this.#numbers.isNumber(name, at);
    if (isTornWord(node, parent, this.#piece)) this.#effects.push(() => doubtful(NOT_PARSED));
    if (node.type === "Script" && (node.errors?.length ?? 0) > 0)
      this.#effects.push(() => doubtful(NOT_PARSED));
    if (isLoop(node)) this.#loops -= 1;
    if (isFed(node, parent)) this.#feeding -= 1;
    const isRepeated = this.#loops > 0;
    this.#effects.push(() => {
      if (node.type !== "Command") return effectOf(node, isNumber);
      const effect = commandEffect(node, words, isNumber);
      return isRepeated ? repeatedEffect(effect) : effect;
    });
  }

  /** The effects of all parts: whether a variable holds a number is known only at the end. */
  found() {
    const effects = this.#effects.map((effect) => effect());
    return {
      commands: this.#commands,
      touches: effects.flatMap(({ touches }) => touches),
      unread: effects.map(({ doubt }) => doubt).filter((doubt) => doubt !== null),
    };
  }
}

/** True if a part of a line gets its input from it: behind a pipe, by a redirect, or as `>(x)`. */
function isFed(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (parent?.type === "Pipeline" && parent.commands.some((one, at) => at > 0 && one === node)) return true;
  if (node.type === "ProcessSubstitution") return node.operator === ">";
  return (node.type === "Command" || node.type === "Redirected") && node.redirects.some(isFeeding);
}

function isLoop({ type }: SyntaxNode): boolean {
  return type === "For" || type === "While";
}

/** Nodes whose words end where bash ends a word. */
const HOLDS_WORDS: ReadonlySet<SyntaxNode["type"]> = new Set([
  ...(["Command", "Redirect", "HereString", "Assignment", "For", "Case", "CaseItem"] as const),
  ...(["TestUnary", "TestBinary"] as const),
]);

/** The end of a word of bash: the text after it; `<(` goes on with it. */
const WORD_END = /^([\s;&|()`]|[<>](?!\()|$)/;

/** True for a word with a character in it that ends words, or without one after it. */
function isTornWord(node: SyntaxNode, parent: SyntaxNode | null, piece: string): boolean {
  if (node.type !== "Word") return false;
  if (isTorn(node)) return true;
  if (parent === null || !HOLDS_WORDS.has(parent.type)) return false;
  if (parent.type === "Assignment" && parent.index === node) return false;
  return !WORD_END.test(piece.slice(node.end, node.end + 2));
}

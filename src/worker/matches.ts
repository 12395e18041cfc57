import type { FileAnswer } from "../tool/files/protocol.ts";
import type { Budget } from "./budget.ts";
import type { TextLine } from "./text.ts";

/** A matching line in an answer. */
export type Match = FileAnswer<"search">["matches"][number];

/** Finds the match in a line: its start and its length. */
export type Seek = (line: string) => { readonly start: number; readonly length: number } | null;

/** Maximum of UTF-16 units shown of a line, and those of them before the match. */
const MAX_SHOWN = 400;
const SHOWN_BEFORE = 100;

/** The matches in one file, made line by line. */
export class Matches {
  readonly found: Match[] = [];
  readonly #path: string;
  readonly #seek: Seek;
  readonly #context: number;
  readonly #budget: Budget;
  #before: string[] = [];
  #open: { readonly after: string[] }[] = [];
  #line = 0;
  #isFull = false;

  constructor(path: string, seek: Seek, context: number, budget: Budget) {
    this.#path = path;
    this.#seek = seek;
    this.#context = context;
    this.#budget = budget;
  }

  add(line: TextLine): boolean {
    this.#line += 1;
    const context = this.#context > 0 ? windowOf(line.text, 0).text : "";
    for (const match of this.#open) match.after.push(context);
    this.#open = this.#open.filter((match) => match.after.length < this.#context);
    if (this.#isFull) return this.#open.length > 0;
    if (!this.#budget.hasTime()) return false;
    const place = this.#seek(line.text);
    if (place !== null && !this.#add(line, place.start)) return this.#open.length > 0;
    if (this.#context > 0) this.#before = [...this.#before, context].slice(-this.#context);
    return true;
  }

  #add(line: TextLine, start: number): boolean {
    if (!this.#budget.takeFound()) {
      this.#isFull = true;
      return false;
    }
    const { text, isWhole } = windowOf(line.text, start);
    const after: string[] = [];
    const isCut = line.isCut || !isWhole;
    this.found.push({
      path: this.#path,
      line: this.#line,
      column: start + 1,
      text,
      isCut,
      before: [...this.#before],
      after,
    });
    if (this.#context > 0) this.#open.push({ after });
    return true;
  }
}

/** The part of a line around a position, without half a surrogate pair at either end. */
function windowOf(line: string, place: number): { readonly text: string; readonly isWhole: boolean } {
  if (line.length <= MAX_SHOWN) return { text: line, isWhole: true };
  let from = Math.max(0, Math.min(place - SHOWN_BEFORE, line.length - MAX_SHOWN));
  let to = from + MAX_SHOWN;
  if (/[\udc00-\udfff]/.test(line.charAt(from))) from += 1;
  if (/[\ud800-\udbff]/.test(line.charAt(to - 1))) to -= 1;
  return { text: line.slice(from, to), isWhole: false };
}

import type { Grant } from "../policy/grant.ts";
import { besideLabel, LABEL_COLUMNS, labelRows, standsBeside } from "./field-rows.ts";
import type { Ink } from "./ink.ts";
import type { Size } from "./question-text.ts";
import type { Field } from "./request-text.ts";
import { isAtEnd, ownRows, type Part, partAt } from "./rows.ts";

/** Where a page begins: in which text, at which of its parts, behind how many rows of that part. */
interface Place {
  readonly field: number;
  readonly at: number;
  readonly row: number;
}

interface Page {
  readonly rows: readonly string[];
  readonly next: Place | null;
}

/** Pages over the question; with grants, digits take them back. */
export interface Pages {
  readonly pager: Pager;
  readonly grants: readonly Grant[];
  /** They are the question itself, whole. */
  readonly isAllOfIt: boolean;
}

const START: Place = { field: 0, at: 0, row: 0 };
const FEWEST_COLUMNS = 20;

/** Texts as pages, of which only the one on the screen is ever made; so a text may have any length. */
export class Pager {
  readonly #title: string;
  readonly #fields: readonly Field[];
  readonly #ink: Ink;
  /** The pages before this one, and this one. */
  #places: readonly Place[] = [START];
  #next: Place | null = null;

  /** The title is words of ours. */
  constructor(title: string, fields: readonly Field[], ink: Ink) {
    this.#title = title;
    this.#fields = fields;
    this.#ink = ink;
  }

  /** The page that the person is on. */
  rows(size: Size): readonly string[] {
    const width = Math.max(FEWEST_COLUMNS, size.columns);
    const title = ownRows(this.#title.split(" "), width, " ").map(this.#ink.warn);
    const keys = (isLast: boolean): readonly string[] =>
      ownRows([isLast ? "[the end]" : "[space] next page", "[b] back", "[q] the question"], width).map(
        this.#ink.bold,
      );
    const room = Math.max(1, size.rows - 1 - title.length - keys(false).length);
    const { rows, next } = this.#take(this.#places.at(-1) ?? START, room, width);
    this.#next = next;
    return [...title, ...rows, ...keys(next === null)];
  }

  /** Nothing is left behind the page that was made last. */
  get isAtEnd(): boolean {
    return this.#next === null;
  }

  /** Goes a page on or back; false where there is none. */
  turn(to: "next" | "back"): boolean {
    if (to === "back") {
      if (this.#places.length < 2) return false;
      this.#places = this.#places.slice(0, -1);
      return true;
    }
    if (this.#next === null) return false;
    this.#places = [...this.#places, this.#next];
    return true;
  }

  #take(from: Place, room: number, width: number): Page {
    const rows: string[] = [];
    let { field, at, row } = from;
    for (let one = this.#fields[field]; one !== undefined; one = this.#fields[field]) {
      const isBeside = one.manner === "line" && standsBeside(one.label, width);
      const isBegun = at > 0 || row > 0;
      const labels = isBegun || isBeside ? [] : labelRows(one.label, width, this.#ink);
      if (rows.length > 0 && rows.length + labels.length >= room) return { rows, next: { field, at, row } };
      rows.push(...labels);
      while (!isAtEnd(one, at)) {
        const part = isBeside ? this.#partBeside(one, at, width) : partAt(one, at, width, this.#ink);
        // A terminal that was made wider has fewer rows of it.
        const start = Math.min(row, part.rows.length - 1);
        const fewest = rows.length === labels.length ? 1 : 0;
        const taken = part.rows.slice(start, start + Math.max(fewest, room - rows.length));
        rows.push(...taken);
        if (start + taken.length < part.rows.length)
          return { rows, next: { field, at, row: start + taken.length } };
        [at, row] = [part.next, 0];
      }
      [field, at] = [field + 1, 0];
    }
    return { rows, next: null };
  }

  #partBeside(field: Field, at: number, width: number): Part {
    const { rows, next } = partAt(field, at, width - LABEL_COLUMNS, this.#ink);
    return { rows: besideLabel(rows, at === 0 ? field.label : "", this.#ink), next };
  }
}

/** Grants as pages; the digits before the first nine take them back. Null when they could not be read. */
export function grantsPager(grants: readonly Grant[] | null, ink: Ink): Pager {
  const MOST = 9;
  if (grants === null) return new Pager("cofferdam: what is granted could not be read", [], ink);
  if (grants.length === 0) return new Pager("cofferdam: nothing is granted for this session", [], ink);
  const fields = grants.map(({ tool, covers, by }, index): Field => {
    const digit = index < MOST ? `[${index + 1}] takes it back` : "the digits reach it when others are gone";
    return { label: digit, text: `${tool}: ${covers} (by ${by})`, manner: "line" };
  });
  return new Pager(`cofferdam: granted for this session (${grants.length})`, fields, ink);
}

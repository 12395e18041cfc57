import type { Grant } from "../policy/grant.ts";
import type { ScopeChoice } from "../policy/scope-choices.ts";
import { besideLabel, LABEL_COLUMNS, labelRows, standsBeside } from "./field-rows.ts";
import type { Ink } from "./ink.ts";
import type { TextSize } from "./question-text.ts";
import type { Field } from "./request-text.ts";
import { isAtEnd, ownRows, partAt, type RowsPart } from "./rows.ts";

/** The beginning of a page: the text, the part of that text, and the rows of that part before it. */
interface PageStart {
  readonly field: number;
  readonly at: number;
  readonly row: number;
}

interface Page {
  readonly rows: readonly string[];
  readonly next: PageStart | null;
}

/** Pages over the request. On pages of grants, digits revoke them. */
export interface Pages {
  readonly pager: Pager;
  readonly grants: readonly Grant[];
  /** On pages of answers, digits give them. */
  readonly choices?: readonly ScopeChoice[];
  /** True if the pages are the whole request. */
  readonly isAllOfIt: boolean;
}

const START: PageStart = { field: 0, at: 0, row: 0 };
const FEWEST_COLUMNS = 20;

/** Texts as pages. Only the page on the screen is made, so a text may have any length. */
export class Pager {
  readonly #title: string;
  readonly #fields: readonly Field[];
  readonly #ink: Ink;
  #places: readonly PageStart[] = [START];
  #next: PageStart | null = null;

  /** The title is our own text. */
  constructor(title: string, fields: readonly Field[], ink: Ink) {
    this.#title = title;
    this.#fields = fields;
    this.#ink = ink;
  }

  /** The rows of the page. A hint says why a key did nothing. It replaces the title, so the other rows do not move. */
  rows(size: TextSize, hint = ""): readonly string[] {
    const width = Math.max(FEWEST_COLUMNS, size.columns);
    const title = ownRows(this.#title.split(" "), width, " ").map(this.#ink.warn);
    const keys = (isLast: boolean): readonly string[] =>
      ownRows([isLast ? "[the end]" : "[space] next page", "[b] back", "[q] the request"], width).map(
        this.#ink.bold,
      );
    const room = Math.max(1, size.rows - 1 - title.length - keys(false).length);
    const { rows, next } = this.#page(this.#places.at(-1) ?? START, room, width);
    this.#next = next;
    const hinted = hint === "" ? title : ownRows(hint.split(" "), width, " ").slice(0, title.length);
    return [...hinted, ...rows, ...keys(next === null)];
  }

  /** True if nothing follows the last page that was made. */
  get isAtEnd(): boolean {
    return this.#next === null;
  }

  /** Goes a page forward or back. Returns null, or why there is no such page. */
  turn(to: "next" | "back"): string | null {
    if (to === "back") {
      if (this.#places.length < 2) return "this is the first page";
      this.#places = this.#places.slice(0, -1);
      return null;
    }
    if (this.#next === null) return "this is the last page";
    this.#places = [...this.#places, this.#next];
    return null;
  }

  #page(from: PageStart, room: number, width: number): Page {
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
        // A terminal that was widened has fewer rows of it.
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

  #partBeside(field: Field, at: number, width: number): RowsPart {
    const { rows, next } = partAt(field, at, width - LABEL_COLUMNS, this.#ink);
    return { rows: besideLabel(rows, at === 0 ? field.label : "", this.#ink), next };
  }
}

/** Grants as pages; the digits before the first nine revoke them. Null grants could not be read. */
export function grantsPager(grants: readonly Grant[] | null, ink: Ink): Pager {
  const MOST = 9;
  if (grants === null) return new Pager("cofferdam: grants can't be read", [], ink);
  if (grants.length === 0) return new Pager("cofferdam: no grants for this session", [], ink);
  const fields = grants.map(({ tool, covers, by }, index): Field => {
    const digit = index < MOST ? `[${index + 1}] revokes it` : "revoke others first";
    return { label: digit, text: `${tool}: ${covers} (by ${by})`, manner: "line" };
  });
  return new Pager(`cofferdam: grants of this session (${grants.length})`, fields, ink);
}

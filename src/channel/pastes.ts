/** Marks that a terminal sends before and after a paste, once asked to (xterm, bracketed paste). */
const MARKS = { begins: "\u{1b}[200~", ends: "\u{1b}[201~" } as const;

/** Distinguishes pasted from pressed input, however slowly and in however many chunks it comes. */
export class Pastes {
  #isOpen = false;
  /** The end of the previous input: a mark may come in two chunks. */
  #before = "";

  /** True for a chunk that belongs to a paste, or holds a part of its marks. */
  isPart(typed: string): boolean {
    const text = this.#before + typed;
    const [begins, ends] = [text.lastIndexOf(MARKS.begins), text.lastIndexOf(MARKS.ends)];
    const wasOpen = this.#isOpen;
    if (begins >= 0 || ends >= 0) this.#isOpen = begins > ends;
    this.#before = text.slice(Math.max(begins, ends, 0)).slice(1 - MARKS.begins.length);
    return wasOpen || this.#isOpen || ends >= 0 || begins >= 0;
  }
}

/** The bytes that mean something by themselves (ECMA-48). */
const BYTE = { bell: 0x07, cancel: 0x18, substitute: 0x1a, escape: 0x1b, delete: 0x7f } as const;
/** Those of C1 that open what is looked at. */
const C1 = { first: 0x80, last: 0x9f, csi: 0x9b, osc: 0x9d } as const;
/** No terminal takes more parameters of one sequence. */
const MOST_NUMBERS = 256;
/** No number that means anything is larger. */
const MOST_NUMBER = 99_999;
const MOST_MIDDLE = 2;
/** What comes before a character of C1 in UTF-8. */
const C1_LEAD = 0xc2;

/** What a program said to a terminal, as far as it changes what a terminal is like. */
export type Said =
  /** ESC, such as `%@`; one of C1 that is a character, or a byte, of its own counts as the same (ECMA-48, 5.3). */
  | { readonly kind: "escape"; readonly middle: string; readonly final: string }
  /** CSI, such as `?6h`; what is left out is 0. */
  | {
      readonly kind: "csi";
      readonly prefix: string;
      readonly numbers: readonly number[];
      readonly middle: string;
      readonly final: string;
    }
  /** OSC: that of its parameters which says something, as neither a number nor a question does; 1 is the first. */
  | { readonly kind: "osc"; readonly number: number; readonly at: number };

/** Where in a sequence a byte stands. Other strings than OSC are text: what is in them is nobody's setting. */
type State = "text" | "escape" | "csi" | "osc";

/**
 * Reads the sequences in what a program says, byte by byte, in constant time and space for each: in whatever chunks it
 * comes and however long a sequence is. Where terminals differ in whether a sequence that is not well-formed still counts, it does
 * (https://vt100.net/emu/dec_ansi_parser; control characters inside a sequence act, and the sequence goes on).
 */
export class Sequences {
  readonly #knowsC1: boolean;
  readonly #tell: (said: Said) => void;
  #state: State = "text";
  #before = 0;
  #prefix = "";
  #middle = "";
  #numbers: number[] = [];
  #number: number | null = null;
  /** Of an OSC: its number, which of its parameters is read, and whether that is a question, or says something. */
  #osc = 0;
  #at = 0;
  #isQuestion = false;
  #isTold = false;

  /** As a terminal reads that knows the control characters of C1 (bytes, or in UTF-8 the same bytes behind C2), or none. */
  constructor(knowsC1: boolean, tell: (said: Said) => void) {
    this.#knowsC1 = knowsC1;
    this.#tell = tell;
  }

  /** Reads the next byte. */
  take(byte: number): void {
    this.#read(byte);
    this.#before = byte;
  }

  #read(byte: number): void {
    if (byte === BYTE.escape) this.#begin("escape");
    else if (byte === BYTE.cancel || byte === BYTE.substitute) this.#state = "text";
    else if (byte >= C1.first && byte <= C1.last && this.#knowsC1) this.#takeC1(byte);
    else if (this.#state === "text" || byte === BYTE.delete) return;
    else if (byte < 0x20) {
      if (byte === BYTE.bell && this.#state === "osc") this.#state = "text";
    } else if (this.#state === "osc") this.#takeOsc(byte);
    else if (byte >= C1.first) return;
    else if (this.#state === "csi") this.#takeCsi(byte);
    else this.#takeEscape(byte);
  }

  #begin(state: State): void {
    this.#state = state;
    this.#prefix = "";
    this.#middle = "";
    this.#numbers = [];
    this.#number = null;
    this.#at = 0;
    this.#isQuestion = false;
    this.#isTold = false;
  }

  /** Behind another byte than its lead it is the rest of a character, and mostly opens nothing. */
  #takeC1(byte: number): void {
    this.#begin(byte === C1.csi ? "csi" : byte === C1.osc ? "osc" : "text");
    if (this.#state === "text" && (this.#before < C1.first || this.#before === C1_LEAD))
      this.#tell({ kind: "escape", middle: "", final: String.fromCharCode(byte - 0x40) });
  }

  #takeEscape(byte: number): void {
    const character = String.fromCharCode(byte);
    if (byte < 0x30) this.#addMiddle(character);
    else if (this.#middle === "" && (character === "[" || character === "]"))
      this.#begin(character === "[" ? "csi" : "osc");
    else {
      this.#state = "text";
      this.#tell({ kind: "escape", middle: this.#middle, final: character });
    }
  }

  #takeCsi(byte: number): void {
    const character = String.fromCharCode(byte);
    if (byte < 0x30) this.#addMiddle(character);
    else if (byte <= 0x39) this.#addDigit(byte);
    else if (byte <= 0x3b) this.#endNumber();
    else if (byte <= 0x3f) {
      if (this.#number === null && this.#numbers.length === 0) this.#prefix = character;
    } else {
      if (this.#number !== null || this.#numbers.length > 0) this.#endNumber();
      this.#state = "text";
      this.#tell({
        kind: "csi",
        prefix: this.#prefix,
        numbers: this.#numbers,
        middle: this.#middle,
        final: character,
      });
    }
  }

  #takeOsc(byte: number): void {
    if (byte === 0x3b) {
      if (this.#at === 0) this.#osc = this.#number ?? 0;
      this.#at += 1;
      this.#number = null;
      this.#isQuestion = false;
      this.#isTold = false;
      return;
    }
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (this.#at === 0) {
      // Of what has no number nothing is known.
      if (isDigit) this.#addDigit(byte);
      else this.#state = "text";
      return;
    }
    if (this.#isTold) return;
    const isFirst = this.#number === null && !this.#isQuestion;
    if (isDigit && !this.#isQuestion) this.#addDigit(byte);
    else if (byte === 0x3f && isFirst) this.#isQuestion = true;
    else {
      this.#isTold = true;
      this.#tell({ kind: "osc", number: this.#osc, at: this.#at });
    }
  }

  #addMiddle(character: string): void {
    if (this.#middle.length < MOST_MIDDLE) this.#middle += character;
  }

  #addDigit(byte: number): void {
    this.#number = Math.min((this.#number ?? 0) * 10 + byte - 0x30, MOST_NUMBER);
  }

  #endNumber(): void {
    if (this.#numbers.length < MOST_NUMBERS) this.#numbers.push(this.#number ?? 0);
    this.#number = null;
  }
}

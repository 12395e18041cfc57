/** The bytes that have a meaning of their own (ECMA-48). */
const BYTE = { bell: 0x07, cancel: 0x18, substitute: 0x1a, escape: 0x1b, delete: 0x7f } as const;
/** The range of C1, and those of C1 that open a sequence we read. */
const C1 = { first: 0x80, last: 0x9f, csi: 0x9b, osc: 0x9d } as const;
/** Maximum number of parameters; no terminal accepts more. */
const MAX_NUMBERS = 256;
/** Maximum of a parameter; no meaningful number is larger. */
const MAX_NUMBER = 99_999;
const MAX_MIDDLE = 2;
/** The first byte of a C1 character in UTF-8. */
const C1_LEAD = 0xc2;

/** A sequence that a program sent to a terminal, as far as it changes the terminal's state. */
export type TerminalSequence =
  /** ESC, such as `%@`. A C1 character, or a C1 byte on its own, counts as the same (ECMA-48, 5.3). */
  | { readonly kind: "escape"; readonly middle: string; readonly final: string }
  /** CSI, such as `?6h`; a missing number is 0. */
  | {
      readonly kind: "csi";
      readonly prefix: string;
      readonly numbers: readonly number[];
      readonly middle: string;
      readonly final: string;
    }
  /** OSC: the position of a parameter that sets something, so is neither a number nor a question. 1 is the first. */
  | { readonly kind: "osc"; readonly number: number; readonly at: number };

/** The place of a byte in a sequence. Strings other than OSC are text: their content changes no setting. */
type State = "text" | "escape" | "csi" | "osc";

/**
 * Reads the sequences in a program's output, byte by byte, in constant time and space for each. Chunks and sequences
 * may have any length. If terminals differ on whether a malformed sequence counts, it counts
 * (https://vt100.net/emu/dec_ansi_parser; control characters inside a sequence act, and the sequence goes on).
 */
export class Sequences {
  readonly #knowsC1: boolean;
  readonly #report: (said: TerminalSequence) => void;
  #state: State = "text";
  #before = 0;
  #prefix = "";
  #middle = "";
  #numbers: number[] = [];
  #number: number | null = null;
  /** State of an OSC: its number, the current parameter, and whether that is a question or was reported. */
  #osc = 0;
  #at = 0;
  #isQuestion = false;
  #isTold = false;

  /** Reads like a terminal with or without C1 control characters (bytes, or in UTF-8 the same bytes after C2). */
  constructor(knowsC1: boolean, report: (said: TerminalSequence) => void) {
    this.#knowsC1 = knowsC1;
    this.#report = report;
  }

  handle(byte: number): void {
    this.#read(byte);
    this.#before = byte;
  }

  #read(byte: number): void {
    if (byte === BYTE.escape) this.#begin("escape");
    else if (byte === BYTE.cancel || byte === BYTE.substitute) this.#state = "text";
    else if (byte >= C1.first && byte <= C1.last && this.#knowsC1) this.#handleC1(byte);
    else if (this.#state === "text" || byte === BYTE.delete) return;
    else if (byte < 0x20) {
      if (byte === BYTE.bell && this.#state === "osc") this.#state = "text";
    } else if (this.#state === "osc") this.#handleOsc(byte);
    else if (byte >= C1.first) return;
    else if (this.#state === "csi") this.#handleCsi(byte);
    else this.#handleEscape(byte);
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

  /** After a byte other than its lead, it is the rest of a character, and mostly opens nothing. */
  #handleC1(byte: number): void {
    this.#begin(byte === C1.csi ? "csi" : byte === C1.osc ? "osc" : "text");
    if (this.#state === "text" && (this.#before < C1.first || this.#before === C1_LEAD))
      this.#report({ kind: "escape", middle: "", final: String.fromCharCode(byte - 0x40) });
  }

  #handleEscape(byte: number): void {
    const character = String.fromCharCode(byte);
    if (byte < 0x30) this.#addMiddle(character);
    else if (this.#middle === "" && (character === "[" || character === "]"))
      this.#begin(character === "[" ? "csi" : "osc");
    else {
      this.#state = "text";
      this.#report({ kind: "escape", middle: this.#middle, final: character });
    }
  }

  #handleCsi(byte: number): void {
    const character = String.fromCharCode(byte);
    if (byte < 0x30) this.#addMiddle(character);
    else if (byte <= 0x39) this.#addDigit(byte);
    else if (byte <= 0x3b) this.#endNumber();
    else if (byte <= 0x3f) {
      if (this.#number === null && this.#numbers.length === 0) this.#prefix = character;
    } else {
      if (this.#number !== null || this.#numbers.length > 0) this.#endNumber();
      this.#state = "text";
      this.#report({
        kind: "csi",
        prefix: this.#prefix,
        numbers: this.#numbers,
        middle: this.#middle,
        final: character,
      });
    }
  }

  #handleOsc(byte: number): void {
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
      // An OSC without a number is unknown.
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
      this.#report({ kind: "osc", number: this.#osc, at: this.#at });
    }
  }

  #addMiddle(character: string): void {
    if (this.#middle.length < MAX_MIDDLE) this.#middle += character;
  }

  #addDigit(byte: number): void {
    this.#number = Math.min((this.#number ?? 0) * 10 + byte - 0x30, MAX_NUMBER);
  }

  #endNumber(): void {
    if (this.#numbers.length < MAX_NUMBERS) this.#numbers.push(this.#number ?? 0);
    this.#number = null;
  }
}

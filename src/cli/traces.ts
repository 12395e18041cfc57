import { Sequences, type TerminalSequence } from "./sequences.ts";

const ESC = "\u{1b}";
const CAN = "\u{18}";
const SHIFT_IN = "\u{f}";

/** Bytes that affect a terminal beyond lines and tabs, together with those of C1: ENQ, SO and ESC. */
const ENQUIRY = 0x05;
const SHIFT_OUT = 0x0e;
const ESCAPE = 0x1b;
const OTHER_SCREENS: readonly number[] = [47, 1047, 1049];

/**
 * Restores a terminal. It ends an unfinished sequence and leaves the other screen. It resets a scroll region, keys that
 * are locked (KAM) or send something else (DECCKM, DECNKM, LNM), visible control characters (CRM) and reverse video. It
 * resets wrapping, the cursor, insert mode, reports of the mouse, the focus, pastes, colours and sizes, held output,
 * character set and colours. On an unchanged terminal it moves nothing (ECMA-48;
 * https://invisible-island.net/xterm/ctlseqs/ctlseqs.html; modes 2026, 2031 and 2048: their authors' documents). Some
 * terminals accept no sequence of more than 64 bytes, or of more than 16 parameters.
 */
const AS_USUAL = [
  `${ESC}[2;3;4;20l`,
  `${ESC}[?1047l${ESC}7${ESC}[r${ESC}8`,
  `${ESC}[?1l${ESC}>${ESC}[?5l${ESC}[?7h${ESC}[?25h`,
  `${ESC}[?9;1000;1001;1002;1003;1004;1005;1006;1015;1016l`,
  `${ESC}[?2004;2026;2031;2048l`,
  `${SHIFT_IN}${ESC}(B${ESC}[0m`,
].join("");

/** A tab stop every eight columns, for the widest windows. */
const TAB_STOPS = `${ESC}7\r${`${ESC}[8C${ESC}H`.repeat(64)}${ESC}8`;

interface Mode {
  readonly prefix: string;
  readonly final: string;
  readonly undone: string;
}

/**
 * Modes that are restored only if the program changed them, because the person may prefer another setting, or the
 * cursor moves. They are: positions relative to a margin (DECOM, DECLRMM), the code of Backspace (DECBKM), local echo
 * (SRM), and key codes of other terminals (xterm's 1050 to 1061). Whether Meta sets the eighth bit (1034) stays as the
 * program left it: its earlier state is unknown.
 */
const MODES: ReadonlyMap<number, Mode> = new Map([
  [6, { prefix: "?", final: "h", undone: `${ESC}[?6l${ESC}[999;1H` }],
  [12, { prefix: "", final: "l", undone: `${ESC}[12h` }],
  [67, { prefix: "?", final: "h", undone: `${ESC}[?67l` }],
  [69, { prefix: "?", final: "h", undone: `${ESC}[?69l` }],
  ...[1050, 1051, 1052, 1053, 1060, 1061].map((keys): [number, Mode] => [
    keys,
    { prefix: "?", final: "h", undone: `${ESC}[?${keys}l` },
  ]),
]);

/** Ends printer mode, in which all output goes to a printer (MC). The printer takes other sequences as text. */
const TO_SCREEN = `${CAN}${ESC}[4i`;
/** Stops copies of the output to the printer. */
const NO_COPIES = `${ESC}[?4i`;
/** Makes text erasable again: an area without an end (SPA, EPA), and single characters (DECSCA). */
const ERASABLE = `${ESC}W${ESC}[0"q`;
const PRINTER_ON = 5;

/** The mode of a VT52 (DECANM), which only knows its own sequence to leave it. */
const VT52 = 2;
/** The first and last of xterm's colours outside the palette: OSC 10 sets the first, OSC 110 resets it. */
const COLOURS = { first: 10, last: 19 } as const;
/** Maximum number of a key modifier setting in any terminal (XTMODKEYS, XTFMTKEYS). */
const MAX_KEYS = 99;
/** Clears the flags of kitty's keys on the current screen. Other terminals read it as SCORC, so the cursor is saved. */
const NO_KITTY_KEYS = `${ESC}7${ESC}[=0u${ESC}8`;

/**
 * The changes that a program may have left on a lent terminal; its output is only inspected. As little as possible is
 * restored, and nothing after plain text. It is read both with C1 and without, like terminals do.
 */
export class Traces {
  readonly #readers = [true, false].map((c1) => new Sequences(c1, (said) => this.#note(said)));
  #hasActed = false;
  #otherScreen: number | null = null;
  #isVt52 = false;
  #isPrinter = false;
  #hasKittyKeys = false;
  #hasLink = false;
  readonly #keys = new Set<string>();
  readonly #customs = new Set<string>();

  see(chunk: Uint8Array): void {
    for (const byte of chunk) {
      this.#hasActed ||=
        byte === ESCAPE || byte === ENQUIRY || byte === SHIFT_OUT || (byte >= 0x80 && byte <= 0x9f);
      for (const reader of this.#readers) reader.handle(byte);
    }
  }

  /** True if the program may have changed the terminal, or asked it something. */
  get hasActed(): boolean {
    return this.#hasActed;
  }

  /** The sequences that restore the terminal. */
  undoing(): string {
    if (!this.#hasActed) return "";
    // Each screen has its own flags (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
    const noKittyKeys = this.#hasKittyKeys ? NO_KITTY_KEYS : "";
    return [
      this.#isVt52 ? `${CAN}${ESC}<` : "",
      this.#isPrinter ? TO_SCREEN : "",
      `${CAN}${ESC}\\`,
      this.#hasLink ? `${ESC}]8;;${ESC}\\` : "",
      noKittyKeys,
      this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}l`,
      // Before the colours are reset: a terminal that does not know it might read it as a colour.
      ...this.#keys,
      AS_USUAL,
      noKittyKeys,
      ...this.#customs,
    ].join("");
  }

  /** The sequence that returns to the program's screen; the program then draws it. */
  redoing(): string {
    return this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}h`;
  }

  #note(said: TerminalSequence): void {
    if (said.kind === "osc") this.#noteOsc(said.number, said.at);
    else if (said.kind === "csi") this.#noteCsi(said);
    else if (said.middle === "%" && said.final === "@") this.#customs.add(`${ESC}%G`);
    else if (said.middle === "" && said.final === "H") this.#customs.add(TAB_STOPS);
    else if (said.middle === "" && said.final === "V") this.#customs.add(ERASABLE);
  }

  #noteOsc(number: number, at: number): void {
    if (number === 8) this.#hasLink = true;
    if (number === 4 || number === 5) this.#customs.add(`${ESC}]10${number}${ESC}\\`);
    // A further colour in one OSC is the one of the next number.
    const colour = number + at - 1;
    if (number >= COLOURS.first && colour <= COLOURS.last) this.#customs.add(`${ESC}]1${colour}${ESC}\\`);
  }

  #noteCsi({ prefix, numbers, middle, final }: Extract<TerminalSequence, { kind: "csi" }>): void {
    if (middle !== "") {
      if (middle === " " && final === "q") this.#customs.add(`${ESC}[0 q`);
      if (middle === '"' && final === "q") this.#customs.add(ERASABLE);
    } else if (final === "h" || final === "l") {
      for (const mode of numbers) this.#noteMode(prefix, mode, final);
    } else if (final === "g") this.#customs.add(TAB_STOPS);
    else if (final === "i" && numbers.includes(PRINTER_ON)) this.#notePrinter(prefix);
    else if (final === "u") this.#hasKittyKeys ||= prefix !== "" && prefix !== "?";
    else if (prefix === ">" && (final === "m" || final === "n" || final === "f")) {
      const [keys] = numbers;
      if (keys === undefined || keys > MAX_KEYS) return;
      this.#keys.add(`${ESC}[>${keys}${final === "f" ? "f" : "m"}`);
    }
  }

  #notePrinter(prefix: string): void {
    if (prefix === "") this.#isPrinter = true;
    else if (prefix === "?") this.#customs.add(NO_COPIES);
  }

  #noteMode(prefix: string, mode: number, final: "h" | "l"): void {
    const custom = MODES.get(mode);
    if (custom?.prefix === prefix && custom.final === final) this.#customs.add(custom.undone);
    if (prefix !== "?") return;
    if (OTHER_SCREENS.includes(mode)) this.#otherScreen = final === "h" ? mode : null;
    if (mode === VT52 && final === "l") this.#isVt52 = true;
  }
}

import { type Said, Sequences } from "./sequences.ts";

const ESC = "\u{1b}";
const CAN = "\u{18}";
const SHIFT_IN = "\u{f}";

/** Without these bytes, and those of C1, nothing acts on a terminal but by lines and tabs: ENQ, SO and ESC. */
const ENQUIRY = 0x05;
const SHIFT_OUT = 0x0e;
const ESCAPE = 0x1b;
/** Other screens than the usual one, in the ways that there are of asking for one. */
const OTHER_SCREENS: readonly number[] = [47, 1047, 1049];

/**
 * Puts right what a program may have left: a sequence without an end, the other screen, a scroll region, keys that are
 * locked (KAM) or send something else (DECCKM, DECNKM, LNM), control characters that are shown (CRM), reverse video, no
 * wrapping, a hidden cursor, insert mode, reports of the mouse, the focus, pastes, colours and sizes, output held back,
 * another character set, colours. All of it is as usual already where nothing was left, and moves nothing then (ECMA-48;
 * https://invisible-island.net/xterm/ctlseqs/ctlseqs.html; the makers of 2026, 2031 and 2048 say what those are).
 * Some terminals take no sequence of more than 64 bytes, or no more than 16 parameters.
 */
const AS_USUAL = [
  `${ESC}[2;3;4;20l`,
  `${ESC}[?1047l${ESC}7${ESC}[r${ESC}8`,
  `${ESC}[?1l${ESC}>${ESC}[?5l${ESC}[?7h${ESC}[?25h`,
  `${ESC}[?9;1000;1001;1002;1003;1004;1005;1006;1015;1016l`,
  `${ESC}[?2004;2026;2031;2048l`,
  `${SHIFT_IN}${ESC}(B${ESC}[0m`,
].join("");

/** A tab stop every eight columns, in as wide a window as there is. */
const TAB_STOPS = `${ESC}7\r${`${ESC}[8C${ESC}H`.repeat(64)}${ESC}8`;

/** A mode that is put right only where the program changed it. */
interface Mode {
  readonly prefix: string;
  readonly final: string;
  readonly undone: string;
}

/**
 * The modes that are put right only where the program changed them, because the person may have another custom, or the
 * cursor moves: places that count from a margin (DECOM, DECLRMM), what the key Backspace sends (DECBKM), the terminal
 * showing what is typed by itself (SRM), keys as other terminals have them (xterm's 1050 to 1061). Whether the key Meta
 * sets the eighth bit (1034) is left as the program left it: nobody can tell how the person had it.
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

/** All goes to a printer, and nothing to the screen, until this (MC); what else is told a printer then takes as text. */
const TO_SCREEN = `${CAN}${ESC}[4i`;
/** What is written now is not printed as well. */
const NO_COPIES = `${ESC}[?4i`;
/** What is written can be erased again: an area without an end (SPA, EPA), and characters by themselves (DECSCA). */
const ERASABLE = `${ESC}W${ESC}[0"q`;
const PRINTER_ON = 5;

/** The mode of a VT52 (DECANM), which knows no other sequence than its own way out. */
const VT52 = 2;
/** The first and the last of those of xterm's colours that are no palette's: OSC 10 sets the first, OSC 110 resets it. */
const COLOURS = { first: 10, last: 19 } as const;
/** Keys of another kind have higher numbers in no terminal (XTMODKEYS, XTFMTKEYS). */
const MOST_KEYS = 99;
/** No flags of kitty's keys on the screen that is shown; the cursor stays where they mean it (SCORC). */
const NO_KITTY_KEYS = `${ESC}7${ESC}[=0u${ESC}8`;

/**
 * What a program that a terminal was lent to may have left there. What it says is passed on as it is; here it is looked
 * at, so that afterwards as little as possible has to be put right, and nothing after a program that only wrote text. It
 * is read in both ways that terminals read: with C1 and without.
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

  /** Looks at what the program says next. */
  see(chunk: Uint8Array): void {
    for (const byte of chunk) {
      this.#hasActed ||=
        byte === ESCAPE || byte === ENQUIRY || byte === SHIFT_OUT || (byte >= 0x80 && byte <= 0x9f);
      for (const reader of this.#readers) reader.take(byte);
    }
  }

  /** True once the program may have acted on the terminal, or asked it something. */
  get hasActed(): boolean {
    return this.#hasActed;
  }

  /** What puts the terminal right. */
  undoing(): string {
    if (!this.#hasActed) return "";
    // Each screen has flags of its own (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
    const noKittyKeys = this.#hasKittyKeys ? NO_KITTY_KEYS : "";
    return [
      this.#isVt52 ? `${CAN}${ESC}<` : "",
      this.#isPrinter ? TO_SCREEN : "",
      `${CAN}${ESC}\\`,
      this.#hasLink ? `${ESC}]8;;${ESC}\\` : "",
      noKittyKeys,
      this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}l`,
      // Before colours are as usual: a terminal that does not know it might take it for one.
      ...this.#keys,
      AS_USUAL,
      noKittyKeys,
      ...this.#customs,
    ].join("");
  }

  /** What makes the screen the program's again, which then draws it. */
  redoing(): string {
    return this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}h`;
  }

  #note(said: Said): void {
    if (said.kind === "osc") this.#noteOsc(said.number, said.at);
    else if (said.kind === "csi") this.#noteCsi(said);
    else if (said.middle === "%" && said.final === "@") this.#customs.add(`${ESC}%G`);
    else if (said.middle === "" && said.final === "H") this.#customs.add(TAB_STOPS);
    else if (said.middle === "" && said.final === "V") this.#customs.add(ERASABLE);
  }

  /** Links, and what colours are. */
  #noteOsc(number: number, at: number): void {
    if (number === 8) this.#hasLink = true;
    if (number === 4 || number === 5) this.#customs.add(`${ESC}]10${number}${ESC}\\`);
    // A colour behind another in one OSC is the next one's.
    const colour = number + at - 1;
    if (number >= COLOURS.first && colour <= COLOURS.last) this.#customs.add(`${ESC}]1${colour}${ESC}\\`);
  }

  /** Modes, keys, the cursor's shape, tab stops, the printer and what can't be erased. */
  #noteCsi({ prefix, numbers, middle, final }: Extract<Said, { kind: "csi" }>): void {
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
      if (keys === undefined || keys > MOST_KEYS) return;
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

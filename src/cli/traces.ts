const ESC = "\u{1b}";
const CAN = "\u{18}";
const SHIFT_IN = "\u{f}";

/** Without these bytes, and those of C1, nothing acts on a terminal but by lines and tabs: ENQ, SO and ESC. */
const ACTING: readonly number[] = [0x05, 0x0e, 0x1b];
/** What a program switches on, and a terminal that does not know it might take for something else. */
const SWITCHES = new RegExp(`${ESC}(?:\\[\\?([\\d;]+)([hl])|\\[>4;?(\\d*)m|\\[[>=<][\\d;]*(u)|(\\]8;))`, "g");
/** Other screens than the usual one, in the ways that there are of asking for one. */
const OTHER_SCREENS: readonly string[] = ["47", "1047", "1049"];
/** No longer sequence of those is looked for; it may come in parts. */
const MOST_OF_A_SWITCH = 64;

/**
 * Puts right what a program may have left: a sequence without an end, the other screen, a scroll region, keys that send
 * something else (DECCKM, DECNKM, LNM), reverse video, no wrapping, a hidden cursor, insert mode, reports of the mouse, the
 * focus and pastes, output held back, another character set, colours. All of it is as usual already where nothing was
 * left, and moves nothing then (ECMA-48; https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
 */
const AS_USUAL = [
  `${ESC}[?1047l${ESC}7${ESC}[r${ESC}8`,
  `${ESC}[?1l${ESC}>${ESC}[20l${ESC}[?5l${ESC}[?7h${ESC}[?25h${ESC}[4l`,
  `${ESC}[?9;1000;1001;1002;1003;1004;1005;1006;1015;1016;2004;2026l`,
  `${SHIFT_IN}${ESC}(B${ESC}[0m`,
].join("");

/** A tab stop every eight columns, in as wide a window as there is. */
const TAB_STOPS = `${ESC}7\r${`${ESC}[8C${ESC}H`.repeat(64)}${ESC}8`;

/**
 * What is put right only where the program did it, because the person may have another custom, or the cursor moves: places
 * that count from a margin (DECOM, DECLRMM), the cursor's shape, tab stops, and what colours are (xterm's OSC 4, 10 to 12).
 */
const CUSTOMS: readonly (readonly [done: RegExp, undone: string])[] = [
  [new RegExp(`${ESC}\\[\\?(?:[\\d;]*;)?6(?:;[\\d;]*)?h`), `${ESC}[?6l${ESC}[999;1H`],
  [new RegExp(`${ESC}\\[\\?(?:[\\d;]*;)?69(?:;[\\d;]*)?h`), `${ESC}[?69l`],
  [new RegExp(`${ESC}\\[\\d* q`), `${ESC}[0 q`],
  [new RegExp(`${ESC}\\[\\d*g`), TAB_STOPS],
  [new RegExp(`${ESC}\\]4;\\d+;[^?]`), `${ESC}]104${ESC}\\`],
  ...["10", "11", "12"].map(
    (colour) => [new RegExp(`${ESC}\\]${colour};[^?]`), `${ESC}]1${colour}${ESC}\\`] as const,
  ),
];

/**
 * What a program that a terminal was lent to may have left there. What it says is passed on as it is; here it is looked
 * at, so that afterwards as little as possible has to be put right, and nothing after a program that only wrote text.
 */
export class Traces {
  #hasActed = false;
  #otherScreen: string | null = null;
  #hasKeys = false;
  #hasKittyKeys = false;
  #hasLink = false;
  readonly #customs = new Set<string>();
  #end = "";

  /** Looks at what the program says next. */
  see(chunk: Uint8Array): void {
    this.#hasActed ||= chunk.some((byte) => ACTING.includes(byte) || (byte >= 0x80 && byte <= 0x9f));
    if (!this.#hasActed) return;
    const text = Buffer.from(chunk).toString("latin1");
    for (const [, modes, way, keys, kitty, link] of (this.#end + text).matchAll(SWITCHES)) {
      for (const mode of modes?.split(";") ?? [])
        if (OTHER_SCREENS.includes(mode)) this.#otherScreen = way === "h" ? mode : null;
      if (keys !== undefined) this.#hasKeys = Number(keys) > 0;
      this.#hasKittyKeys ||= kitty !== undefined;
      this.#hasLink ||= link !== undefined;
    }
    for (const [done, undone] of CUSTOMS) if (done.test(this.#end + text)) this.#customs.add(undone);
    this.#end = (this.#end + text).slice(-MOST_OF_A_SWITCH);
  }

  /** True once the program may have acted on the terminal, or asked it something. */
  get hasActed(): boolean {
    return this.#hasActed;
  }

  /** What puts the terminal right. */
  undoing(): string {
    if (!this.#hasActed) return "";
    return [
      `${CAN}${ESC}\\`,
      this.#hasLink ? `${ESC}]8;;${ESC}\\` : "",
      this.#hasKittyKeys ? `${ESC}7${ESC}[=0u${ESC}8` : "",
      this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}l`,
      this.#hasKeys ? `${ESC}[>4;0m` : "",
      AS_USUAL,
      ...this.#customs,
    ].join("");
  }

  /** What makes the screen the program's again, which then draws it. */
  redoing(): string {
    return this.#otherScreen === null ? "" : `${ESC}[?${this.#otherScreen}h`;
  }
}

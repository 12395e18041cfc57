const ESC = "\u{1b}";
const C1 = { csi: "\u{9b}", end: "\u{9c}" } as const;
/** Openers of a terminal's strings: DCS, SOS, OSC, PM, APC; as ESC and a letter, or as one C1 character. */
const STRINGS = { letters: "PX]^_", c1: "\u{90}\u{98}\u{9d}\u{9e}\u{9f}" } as const;
/** BEL, CAN and SUB also end a string. */
const STRING_ENDS = `\u{7}\u{18}\u{1a}${C1.end}`;
/** Maximum length of parameters; colours need less. */
const MAX_PARAMETERS = 64;

/** The place of a character in a sequence (ECMA-48; the states of https://vt100.net/emu/dec_ansi_parser). */
type State = "text" | "escape" | "escape-middle" | "csi" | "string";

/**
 * A tool's output without anything that would control the person's terminal. Colours (SGR), tab, newline and carriage
 * return pass. Every other control character and escape sequence is dropped. Bytes that are not UTF-8 become U+FFFD.
 * Sequences may be split over chunks in any way. A string without an end hides only its own line.
 */
export class TerminalFilter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #state: State = "text";
  #parameters = "";
  #isColoured = false;

  /** The part of the output that may be shown now. */
  write(chunk: Uint8Array): string {
    return this.#filter(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The rest at the end; switches off colours that may still be on. */
  end(): string {
    const rest = this.#filter(this.#decoder.decode());
    const reset = this.#isColoured ? `${ESC}[0m` : "";
    this.#state = "text";
    this.#isColoured = false;
    return `${rest}${reset}`;
  }

  #filter(text: string): string {
    let shown = "";
    for (const character of text) shown += this.#handle(character);
    return shown;
  }

  #handle(character: string): string {
    switch (this.#state) {
      case "text":
        return this.#handleText(character);
      case "escape":
        return this.#handleEscape(character);
      case "escape-middle":
        if (isBetween(character, " ", "/")) return "";
        this.#state = "text";
        return isBetween(character, "0", "~") ? "" : this.#handleText(character);
      case "csi":
        return this.#handleCsi(character);
      case "string":
        return this.#handleString(character);
    }
  }

  #handleText(character: string): string {
    if (character === ESC) this.#state = "escape";
    else if (character === C1.csi) this.#beginCsi();
    else if (STRINGS.c1.includes(character)) this.#state = "string";
    else if (!isControl(character) || "\t\n\r".includes(character)) return character;
    return "";
  }

  #handleEscape(character: string): string {
    this.#state = "text";
    if (character === "[") this.#beginCsi();
    else if (STRINGS.letters.includes(character)) this.#state = "string";
    else if (isBetween(character, " ", "/")) this.#state = "escape-middle";
    else if (!isBetween(character, "0", "~")) return this.#handleText(character);
    return "";
  }

  #beginCsi(): void {
    this.#state = "csi";
    this.#parameters = "";
  }

  #handleCsi(character: string): string {
    if (isBetween(character, " ", "?")) {
      if (this.#parameters.length <= MAX_PARAMETERS) this.#parameters += character;
      return "";
    }
    this.#state = "text";
    if (!isBetween(character, "@", "~")) return this.#handleText(character);
    if (
      character !== "m" ||
      !/^[0-9;:]*$/.test(this.#parameters) ||
      this.#parameters.length > MAX_PARAMETERS ||
      conceals(this.#parameters)
    )
      return "";
    this.#isColoured = !/^[0;]*$/.test(this.#parameters);
    return `${ESC}[${this.#parameters}m`;
  }

  #handleString(character: string): string {
    if (character === "\n") {
      this.#state = "text";
      return character;
    }
    if (character === ESC) this.#state = "escape";
    else if (STRING_ENDS.includes(character)) this.#state = "text";
    return "";
  }
}

/**
 * True if some terminal may read one of the parameters as concealed text (8). An 8 is safe only in a colour that all
 * colour terminals read alike. Those are `38;5;8`, `38;2;8;8;8`, and the same with colons, which are then one
 * parameter. Some terminals do not know underline colours (58), and read the next numbers.
 */
function conceals(parameters: string): boolean {
  const list = parameters.split(";");
  for (let at = 0; at < list.length; at += 1) {
    const parameter = list[at] ?? "";
    if (parameter.includes(":")) {
      if (!COLOUR_IN_ONE.test(parameter) && parameter.split(":").some(isConcealing)) return true;
    } else if (isConcealing(parameter) || Number(parameter) === 58) return true;
    else if ([38, 48].includes(Number(parameter))) at += partsOfColour(list.slice(at + 1));
  }
  return false;
}

/** A colour in one parameter: an index, or red, green and blue. With a colour space, terminals differ. */
const COLOUR_IN_ONE = /^0*[34]8:(?:0*5:\d+|0*2:\d*:\d*:\d*)$/;

function isConcealing(parameter: string): boolean {
  return Number(parameter) === 8;
}

/** The number of parameters after 38 or 48 that belong to it. */
function partsOfColour([way, ...parts]: readonly string[]): number {
  const length =
    way === undefined || way.includes(":")
      ? 0
      : (new Map([
          [5, 1],
          [2, 3],
        ]).get(Number(way)) ?? 0);
  return length > 0 && parts.length >= length && parts.slice(0, length).every((part) => /^\d+$/.test(part))
    ? length + 1
    : 0;
}

/** C0, DEL and C1. */
function isControl(character: string): boolean {
  return character < " " || isBetween(character, "\u{7f}", "\u{9f}");
}

function isBetween(character: string, first: string, last: string): boolean {
  return character >= first && character <= last;
}

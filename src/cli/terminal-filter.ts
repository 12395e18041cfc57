const ESC = "\u{1b}";
const C1 = { csi: "\u{9b}", end: "\u{9c}" } as const;
/** What opens a string of the terminal: DCS, SOS, OSC, PM, APC; as ESC and a letter, or as one C1 character. */
const STRINGS = { letters: "PX]^_", c1: "\u{90}\u{98}\u{9d}\u{9e}\u{9f}" } as const;
/** BEL, CAN and SUB end a string as well. */
const STRING_ENDS = `\u{7}\u{18}\u{1a}${C1.end}`;
/** Longer parameters are nobody's colours. */
const MOST_PARAMETERS = 64;

/** Where in a sequence the text stands (ECMA-48; the states of https://vt100.net/emu/dec_ansi_parser). */
type State = "text" | "escape" | "escape-middle" | "csi" | "string";

/**
 * What a tool writes to a person's terminal, without what would act on that terminal: colours (SGR), tab, newline and
 * carriage return pass, every other control character and escape sequence is dropped, bytes that are not UTF-8 become
 * U+FFFD. Sequences may be split over chunks in any way. A string that has no end hides no more than its own line.
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

  /** What is left at the end; colours that may still be on are switched off. */
  end(): string {
    const rest = this.#filter(this.#decoder.decode());
    const reset = this.#isColoured ? `${ESC}[0m` : "";
    this.#state = "text";
    this.#isColoured = false;
    return `${rest}${reset}`;
  }

  #filter(text: string): string {
    let shown = "";
    for (const character of text) shown += this.#take(character);
    return shown;
  }

  #take(character: string): string {
    switch (this.#state) {
      case "text":
        return this.#takeText(character);
      case "escape":
        return this.#takeEscape(character);
      case "escape-middle":
        if (isBetween(character, " ", "/")) return "";
        this.#state = "text";
        return isBetween(character, "0", "~") ? "" : this.#takeText(character);
      case "csi":
        return this.#takeCsi(character);
      case "string":
        return this.#takeString(character);
    }
  }

  #takeText(character: string): string {
    if (character === ESC) this.#state = "escape";
    else if (character === C1.csi) this.#beginCsi();
    else if (STRINGS.c1.includes(character)) this.#state = "string";
    else if (!isControl(character) || "\t\n\r".includes(character)) return character;
    return "";
  }

  #takeEscape(character: string): string {
    this.#state = "text";
    if (character === "[") this.#beginCsi();
    else if (STRINGS.letters.includes(character)) this.#state = "string";
    else if (isBetween(character, " ", "/")) this.#state = "escape-middle";
    else if (!isBetween(character, "0", "~")) return this.#takeText(character);
    return "";
  }

  #beginCsi(): void {
    this.#state = "csi";
    this.#parameters = "";
  }

  #takeCsi(character: string): string {
    if (isBetween(character, " ", "?")) {
      if (this.#parameters.length <= MOST_PARAMETERS) this.#parameters += character;
      return "";
    }
    this.#state = "text";
    if (!isBetween(character, "@", "~")) return this.#takeText(character);
    if (
      character !== "m" ||
      !/^[0-9;:]*$/.test(this.#parameters) ||
      this.#parameters.length > MOST_PARAMETERS ||
      conceals(this.#parameters)
    )
      return "";
    this.#isColoured = !/^[0;]*$/.test(this.#parameters);
    return `${ESC}[${this.#parameters}m`;
  }

  #takeString(character: string): string {
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
 * True when some terminal may take one of the parameters for text that can't be seen (8). Only as part of a colour that
 * every terminal that has colours reads alike, an 8 is none: `38;5;8`, `38;2;8;8;8`, and the same with colons, which by
 * themselves are one parameter. Not every terminal knows underlines of a colour (58), and then reads what follows.
 */
function conceals(parameters: string): boolean {
  const list = parameters.split(";");
  for (let at = 0; at < list.length; at += 1) {
    const parameter = list[at] ?? "";
    if (parameter.includes(":")) {
      if (!COLOUR_IN_ONE.test(parameter) && parameter.split(":").some(isConcealing)) return true;
    } else if (isConcealing(parameter) || Number(parameter) === 58) return true;
    else if (isColour(parameter)) at += partsOfColour(list.slice(at + 1));
  }
  return false;
}

/** In one parameter: an index, or red, green and blue. Where a space of colours is named as well, terminals differ. */
const COLOUR_IN_ONE = /^0*[34]8:(?:0*5:\d+|0*2:\d*:\d*:\d*)$/;

function isConcealing(parameter: string): boolean {
  return Number(parameter) === 8;
}

function isColour(parameter: string): boolean {
  return [38, 48].includes(Number(parameter));
}

/** How many of the parameters behind 38 or 48 are its own. */
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

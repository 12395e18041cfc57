/**
 * One character that is no printable ASCII, in a pattern that is printable ASCII itself. Whether the kernel matches
 * bytes or characters is not documented, so a run of them stands for each: caps may hold for more, never for less.
 */
export const FOREIGN = "[^ -~]+";

/**
 * Parts of a spelled text. Letters that APFS takes for a character that is not ASCII: with the case of letters it folds
 * `\u00df` to `ss`, `\ufb01` to `fi` (https://github.com/advisories/GHSA-r6q2-hw4h-h46w; Unicode's CaseFolding.txt), and where case
 * counts it still keeps normal forms together, of which three are ASCII (UnicodeData.txt: U+212A, U+037E, U+1FEF).
 */
const FOLDED_TO = /(?:(?:[fs]*[ -~](?=[\p{M}\u02be]))?(?:[^ -~]*\u02bcn|[^ -~]+))+|f+[il]|ff+|s+t|s+|./gsu;
const NORMAL_FORMS = /[^ -~]+|./gsu;

/**
 * In the one spelling that sources are made of: composed, or, where case does not count, as APFS compares names: decomposed,
 * and each character folded in full, whatever stands beside it.
 */
export function spelled(text: string, ignoreCase: boolean): string {
  if (!ignoreCase) return text.normalize("NFC");
  const folded = [...text.normalize("NFD")].map((one) => {
    return one === "\u0131" ? one : [...one.toUpperCase()].map((upper) => upper.toLowerCase()).join("");
  });
  return folded.join("").normalize("NFD");
}

/** The source that means a spelled text, by every name that APFS takes for it. */
export function textSource(text: string, ignoreCase: boolean): string {
  return text.replace(ignoreCase ? FOLDED_TO : NORMAL_FORMS, (part) => {
    if (/[^ -~]/u.test(part)) return ignoreCase ? mixedSource(part) : foreignSource(part);
    const plain = part.replace(/./gs, (character) => letterSource(character, ignoreCase));
    if (part.length > 3) return `(${plain}|${mixedSource(part)})`;
    if (part.length > 1) {
      const any = `[${[...new Set([...part].flatMap(bothCases))].join("")}]*`;
      // Of an `s` alone there is one, too, so that between two of them letters may be left.
      const more = part.startsWith("s") ? `(${FOREIGN}${any})?`.repeat(Math.ceil(part.length / 2) - 1) : "";
      return `(${plain}|${any}${FOREIGN}${any}${more})`;
    }
    return isFoldedTo(part, ignoreCase) ? `(${plain}|${FOREIGN})` : plain;
  });
}

/** Characters that are not ASCII, each composed, or as the letter of ASCII that it is made of and its marks. */
function foreignSource(characters: string): string {
  const sources = [...characters].map((character) => {
    const [letter = ""] = character.normalize("NFD");
    return /[ -~]/.test(letter) ? `[${letter}]?${FOREIGN}` : FOREIGN;
  });
  return sources.filter((source, at) => source !== FOREIGN || sources[at - 1] !== FOREIGN).join("");
}

/** Whatever is made of these letters and of characters that are not ASCII, of which there is at least one. */
function mixedSource(part: string): string {
  const letters = new Set([...part].filter((one) => /[ -~]/.test(one)).flatMap(bothCases));
  if (letters.size === 0) return FOREIGN;
  const some = `[^${othersOf(letters)}]*`;
  return `${some}${FOREIGN}${some}`;
}

/** Printable ASCII without these, as ranges of a set; nor what has another meaning there. */
function othersOf(letters: ReadonlySet<string>): string {
  const ranges: string[] = [];
  let first: string | null = null;
  for (let code = 0x20; code <= 0x7f; code += 1) {
    const character = String.fromCharCode(code);
    const isOther = code < 0x7f && !letters.has(character) && !/[[\]\\^]/.test(character);
    if (isOther) first ??= character;
    else if (first !== null) {
      ranges.push(`${first}-${String.fromCharCode(code - 1)}`);
      first = null;
    }
  }
  return ranges.join("");
}

/** Whether APFS takes one of these for a character that is not ASCII. */
export function isFoldedTo(characters: string, ignoreCase: boolean): boolean {
  return (ignoreCase ? /[KkSs;`]/ : /[K;`]/).test(characters);
}

function letterSource(character: string, ignoreCase: boolean): string {
  return ignoreCase && /[A-Za-z]/.test(character)
    ? `[${bothCases(character).join("")}]`
    : plainSource(character);
}

/** A character as itself. `[.]` reads the same whether or not a backslash escapes; three characters have no such form. */
export function plainSource(character: string): string {
  if (/[[\]\\^]/.test(character)) return `\\${character}`;
  return /[.*+?(){}|$]/.test(character) ? `[${character}]` : character;
}

/** A letter of ASCII in both cases; anything else as it is. */
export function bothCases(letter: string): readonly string[] {
  return /[A-Za-z]/.test(letter) ? [letter.toLowerCase(), letter.toUpperCase()] : [letter];
}

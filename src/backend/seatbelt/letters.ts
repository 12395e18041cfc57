/**
 * One character that is no printable ASCII. It is not documented whether the kernel matches bytes or characters, so a
 * run of them matches each: caps may hold for more, never for less.
 */
export const FOREIGN = "[^ -~]+";

/**
 * Parts of a spelled text that APFS may treat as a non-ASCII character. Ignoring case it folds `\u00df` to `ss`,
 * `\ufb01` to `fi` (https://github.com/advisories/GHSA-r6q2-hw4h-h46w; Unicode's CaseFolding.txt). Where case counts it
 * still unites normal forms, of which three are ASCII (UnicodeData.txt: U+212A, U+037E, U+1FEF).
 */
const FOLDED_TO = /(?:(?:[fs]*[ -~](?=[\p{M}\u02be]))?(?:[^ -~]*\u02bcn|[^ -~]+))+|f+[il]|ff+|s+t|s+|./gsu;
const NORMAL_FORMS = /[^ -~]+|./gsu;

/** Composed or, without case, as APFS compares names: decomposed, and each character folded in full. */
export function spelled(text: string, ignoreCase: boolean): string {
  if (!ignoreCase) return text.normalize("NFC");
  const folded = [...text.normalize("NFD")].map((one) => {
    return one === "\u0131" ? one : [...one.toUpperCase()].map((upper) => upper.toLowerCase()).join("");
  });
  return folded.join("").normalize("NFD");
}

/** The source that matches a spelled text, under every name that APFS treats as equal. */
export function textSource(text: string, ignoreCase: boolean): string {
  return text.replace(ignoreCase ? FOLDED_TO : NORMAL_FORMS, (part) => {
    if (/[^ -~]/u.test(part)) return ignoreCase ? mixedSource(part) : foreignSource(part);
    const plain = part.replace(/./gs, (character) => letterSource(character, ignoreCase));
    if (part.length > 3) return `(${plain}|${mixedSource(part)})`;
    if (part.length > 1) {
      const any = `[${[...new Set([...part].flatMap(bothCases))].join("")}]*`;
      // A single `s` has such a character, too, so that letters between two of them may be left.
      const more = part.startsWith("s") ? `(${FOREIGN}${any})?`.repeat(Math.ceil(part.length / 2) - 1) : "";
      return `(${plain}|${any}${FOREIGN}${any}${more})`;
    }
    return isFoldedTo(part, ignoreCase) ? `(${plain}|${FOREIGN})` : plain;
  });
}

/** Characters that are not ASCII, each composed, or as its ASCII letter and marks. */
function foreignSource(characters: string): string {
  const sources = [...characters].map((character) => {
    const [letter = ""] = character.normalize("NFD");
    return /[ -~]/.test(letter) ? `[${letter}]?${FOREIGN}` : FOREIGN;
  });
  return sources.filter((source, at) => source !== FOREIGN || sources[at - 1] !== FOREIGN).join("");
}

/** Matches any text of these letters and non-ASCII characters, with at least one of the latter. */
function mixedSource(part: string): string {
  const letters = new Set([...part].filter((one) => /[ -~]/.test(one)).flatMap(bothCases));
  if (letters.size === 0) return FOREIGN;
  const some = `[^${othersOf(letters)}]*`;
  return `${some}${FOREIGN}${some}`;
}

/** Printable ASCII without these letters and without special characters, as ranges of a set. */
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

/** True if APFS treats one of these as a character that is not ASCII. */
export function isFoldedTo(characters: string, ignoreCase: boolean): boolean {
  return (ignoreCase ? /[KkSs;`]/ : /[K;`]/).test(characters);
}

function letterSource(character: string, ignoreCase: boolean): string {
  return ignoreCase && /[A-Za-z]/.test(character)
    ? `[${bothCases(character).join("")}]`
    : plainSource(character);
}

/** A character as itself. `[.]` reads the same whether or not a backslash escapes; three characters lack this form. */
export function plainSource(character: string): string {
  if (/[[\]\\^]/.test(character)) return `\\${character}`;
  return /[.*+?(){}|$]/.test(character) ? `[${character}]` : character;
}

/** An ASCII letter in both cases; anything else unchanged. */
export function bothCases(letter: string): readonly string[] {
  return /[A-Za-z]/.test(letter) ? [letter.toLowerCase(), letter.toUpperCase()] : [letter];
}

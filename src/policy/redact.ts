import { isList, type Json } from "./canonical-json.ts";
import { placeBelow } from "./json-place.ts";
import type { Redactions } from "./redactions.ts";
import { isSecretName, isTokenCount } from "./secret-names.ts";
import { secretsIn } from "./secret-shapes.ts";

const HIDDEN = "[hidden]";
const CUT = "[cut]";
/** The most that is shown of one text, of one key, of one container, and in all, in characters and in items. */
const MOST_OF_A_TEXT = 2_000;
const MOST_OF_A_KEY = 200;
const MOST_ITEMS = 50;
const MOST_DEEP = 8;
const MOST_IN_ALL = 32 * 1024;
const MOST_LISTED = 50;
/** How far behind what can be shown a text is read, and how much of that may be half of a longer secret. */
const READ_AHEAD = 8 * 1024;
const DOUBTFUL = 1024;

/**
 * Arguments as they may be shown, and what was left out. Hidden is what stands under a name that says that it is a
 * secret, what follows such an option in a list of words, and what has the shape of a credential in any text. Cut is a
 * text behind 2,000 characters, a list or object behind 50 items or 8 deep, and all behind about 32 KiB. Hashes are
 * never made of it. This is cosmetic and no wall: a list of names and shapes misses every secret that looks like
 * something else.
 */
export function redact(args: Json): { readonly safeArgs: Json; readonly redactions: Redactions } {
  const notes = new Notes();
  const safeArgs = shown(args, "", 1, notes);
  return { safeArgs, redactions: notes.redactions() };
}

/**
 * A text as it may be shown: what has the shape of a credential is `[hidden]`, the rest cut. Hides first, so that no
 * secret shows in half where the text is cut. `isWhole` when it is the text as it came. Cosmetic, as `redact`.
 */
export function redactText(
  text: string,
  mostCharacters = MOST_OF_A_TEXT,
): { readonly text: string; readonly isWhole: boolean } {
  const { text: safe, isHidden, isCut } = shownText(text, mostCharacters);
  return { text: safe, isWhole: !isHidden && !isCut };
}

/**
 * Words of a command without what looks like a secret in them; nothing is cut. Where the caller says how much it shows of
 * a word, and of all, the end of a longer word is not looked at, and words behind all that is shown are hidden whole.
 * Cosmetic, as `redact`.
 */
export function hideInWords(
  words: readonly string[],
  shownOf: { readonly word: number; readonly words: number } = ALL,
): string[] {
  let left = shownOf.words;
  return words.map((word, index) => {
    if (left <= 0) return HIDDEN;
    const end = word.length > shownOf.word ? shownOf.word + READ_AHEAD : word.length;
    left -= Math.min(word.length, shownOf.word);
    if (isValueOf(words[index - 1], word)) return HIDDEN;
    return shownText(word.slice(0, end), Number.POSITIVE_INFINITY).text + word.slice(end);
  });
}

const ALL = { word: Number.POSITIVE_INFINITY, words: Number.POSITIVE_INFINITY } as const;

/** What was left out so far, and how much may still be shown. */
class Notes {
  left = MOST_IN_ALL;
  readonly #hidden: { at: string; because: "name" | "shape" }[] = [];
  readonly #cut: { at: string; whole: string }[] = [];
  #isMore = false;

  hide(at: string, because: "name" | "shape"): void {
    if (this.#hidden.length < MOST_LISTED) this.#hidden.push({ at, because });
    else this.#isMore = true;
  }

  cut(at: string, size: number, unit: "character" | "item"): void {
    const whole = `${thousands(size)} ${unit}${size === 1 ? "" : "s"}`;
    if (this.#cut.length < MOST_LISTED) this.#cut.push({ at, whole });
    else this.#isMore = true;
  }

  redactions(): Redactions {
    return { hidden: this.#hidden, cut: this.#cut, isMore: this.#isMore };
  }
}

function shown(value: Json, at: string, depth: number, notes: Notes): Json {
  if (typeof value === "string") return noted(value, MOST_OF_A_TEXT, () => at, notes);
  if (value === null || typeof value !== "object") {
    notes.left -= String(value).length;
    return value;
  }
  if (depth <= MOST_DEEP)
    return isList(value) ? items(value, at, depth, notes) : members(value, at, depth, notes);
  notes.left -= CUT.length;
  notes.cut(at, isList(value) ? value.length : Object.keys(value).length, "item");
  return CUT;
}

function items(list: readonly Json[], at: string, depth: number, notes: Notes): Json {
  const safe: Json[] = [];
  for (const [index, item] of list.slice(0, MOST_ITEMS).entries()) {
    if (notes.left <= 0) break;
    notes.left -= 2;
    const place = placeBelow(at, index);
    const isSecret = isValueOf(list[index - 1], item);
    safe.push(isSecret ? hidden(place, notes) : shown(item, place, depth + 1, notes));
  }
  if (safe.length < list.length) notes.cut(at, list.length, "item");
  return safe;
}

function members(object: { readonly [key: string]: Json }, at: string, depth: number, notes: Notes): Json {
  const keys = Object.keys(object);
  const safe = new Map<string, Json>();
  for (const key of keys.slice(0, MOST_ITEMS)) {
    if (notes.left <= 0) break;
    notes.left -= 4;
    const member = object[key] ?? null;
    const name = free(
      noted(key, MOST_OF_A_KEY, (shownKey) => placeBelow(at, shownKey), notes),
      safe,
    );
    const place = placeBelow(at, name);
    safe.set(
      name,
      isSecretUnder(key, member) ? hidden(place, notes) : shown(member, place, depth + 1, notes),
    );
  }
  if (safe.size < keys.length) notes.cut(at, keys.length, "item");
  return Object.fromEntries(safe);
}

function hidden(at: string, notes: Notes): string {
  notes.left -= HIDDEN.length;
  notes.hide(at, "name");
  return HIDDEN;
}

/** A text as shown, with a note of what is not; `placeOf` what is shown. */
function noted(text: string, most: number, placeOf: (safe: string) => string, notes: Notes): string {
  const safe = shownText(text, Math.min(most, Math.max(notes.left, 0)));
  notes.left -= safe.text.length;
  if (safe.isHidden) notes.hide(placeOf(safe.text), "shape");
  if (safe.isCut) notes.cut(placeOf(safe.text), text.length, "character");
  return safe.text;
}

/** Of two keys that look the same once they are safe, the second gets a number. */
function free(name: string, taken: ReadonlyMap<string, Json>): string {
  let count = 2;
  let one = name;
  for (; taken.has(one); count += 1) one = `${name} (${count})`;
  return one;
}

/** Null, yes and no are no secrets, and neither is a number of tokens. */
function isSecretUnder(name: string, value: Json): boolean {
  if (value === null || typeof value === "boolean") return false;
  return isSecretName(name) && !(typeof value === "number" && isTokenCount(name));
}

/** True for the word behind `--token` and its like in a list of words; a word that is an option itself is no value. */
function isValueOf(before: Json | undefined, item: Json): boolean {
  if (typeof before !== "string" || typeof item !== "string" || item.startsWith("-")) return false;
  return before.length <= MOST_OF_A_KEY && /^--?[A-Za-z][\w.-]*$/.test(before) && isSecretName(before);
}

function shownText(
  text: string,
  most: number,
): { readonly text: string; readonly isHidden: boolean; readonly isCut: boolean } {
  const near = text.slice(0, most + READ_AHEAD);
  const end = near.length < text.length ? wholeEnd(near, near.length - DOUBTFUL) : text.length;
  let safe = "";
  let from = 0;
  for (const secret of secretsIn(near).filter(({ start }) => start < end)) {
    safe += near.slice(from, secret.start) + HIDDEN;
    from = secret.end;
  }
  const isHidden = from > 0;
  safe += near.slice(from, Math.max(from, end));
  const isCut = end < text.length || safe.length > most;
  return { text: safe.slice(0, wholeEnd(safe, most)), isHidden, isCut };
}

/** `end`, or one less where a surrogate pair stands across it. */
function wholeEnd(text: string, end: number): number {
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

import { isList, type Json } from "./canonical-json.ts";
import { placeBelow } from "./json-place.ts";
import type { Redactions } from "./redactions.ts";
import { isSecretName, isTokenCount } from "./secret-names.ts";
import { secretsIn } from "./secret-shapes.ts";

const HIDDEN = "[hidden]";
const CUT = "[cut]";
/** Maximum shown of one text, of one key, of one container, and in all, in characters and in items. */
const MAX_TEXT_LENGTH = 2_000;
const MAX_KEY_LENGTH = 200;
const MAX_ITEMS = 50;
const MAX_DEEP = 8;
const MAX_IN_ALL = 32 * 1024;
const MAX_LISTED = 50;
/** How far a text is read past its shown part, and how much of that may be half of a longer secret. */
const READ_AHEAD = 8 * 1024;
const DOUBTFUL = 1024;

/**
 * Arguments in a form safe to show, and the list of omissions. Hidden: values under a secret's name, words after such
 * an option, and credentials by their shape in any text. Cut: texts after 2,000 characters, containers after 50 items
 * or 8 levels, and everything after about 32 KiB. Hashes are never made of the result. This is cosmetic and no security
 * boundary: names and shapes miss every secret that looks different.
 */
export function redact(args: Json): { readonly safeArgs: Json; readonly redactions: Redactions } {
  const notes = new Notes();
  const safeArgs = shown(args, "", 1, notes);
  return { safeArgs, redactions: notes.redactions() };
}

/** A text safe to show: hides secrets by shape before it cuts, so that none is shown in half. Cosmetic, as `redact`. */
export function redactText(
  text: string,
  maxCharacters = MAX_TEXT_LENGTH,
): { readonly text: string; readonly isWhole: boolean } {
  const { text: safe, isHidden, isCut } = shownText(text, maxCharacters);
  return { text: safe, isWhole: !isHidden && !isCut };
}

/** Words of a command with apparent secrets hidden. Unchecked words after the shown part are hidden whole. Cosmetic. */
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

class Notes {
  left = MAX_IN_ALL;
  readonly #hidden: { at: string; because: "name" | "shape" }[] = [];
  readonly #cut: { at: string; whole: string }[] = [];
  #isMore = false;

  hide(at: string, because: "name" | "shape"): void {
    if (this.#hidden.length < MAX_LISTED) this.#hidden.push({ at, because });
    else this.#isMore = true;
  }

  cut(at: string, size: number, unit: "character" | "item"): void {
    const whole = `${size.toLocaleString("en")} ${unit}${size === 1 ? "" : "s"}`;
    if (this.#cut.length < MAX_LISTED) this.#cut.push({ at, whole });
    else this.#isMore = true;
  }

  redactions(): Redactions {
    return { hidden: this.#hidden, cut: this.#cut, isMore: this.#isMore };
  }
}

function shown(value: Json, at: string, depth: number, notes: Notes): Json {
  if (typeof value === "string") return noted(value, MAX_TEXT_LENGTH, () => at, notes);
  if (value === null || typeof value !== "object") {
    notes.left -= String(value).length;
    return value;
  }
  if (depth <= MAX_DEEP)
    return isList(value) ? items(value, at, depth, notes) : members(value, at, depth, notes);
  notes.left -= CUT.length;
  notes.cut(at, isList(value) ? value.length : Object.keys(value).length, "item");
  return CUT;
}

function items(list: readonly Json[], at: string, depth: number, notes: Notes): Json {
  const safe: Json[] = [];
  for (const [index, item] of list.slice(0, MAX_ITEMS).entries()) {
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
  for (const key of keys.slice(0, MAX_ITEMS)) {
    if (notes.left <= 0) break;
    notes.left -= 4;
    const member = object[key] ?? null;
    const name = free(
      noted(key, MAX_KEY_LENGTH, (shownKey) => placeBelow(at, shownKey), notes),
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

/** A text as shown, and notes of its omissions; `placeOf` makes the place from the shown text. */
function noted(text: string, max: number, placeOf: (safe: string) => string, notes: Notes): string {
  const safe = shownText(text, Math.min(max, Math.max(notes.left, 0)));
  notes.left -= safe.text.length;
  if (safe.isHidden) notes.hide(placeOf(safe.text), "shape");
  if (safe.isCut) notes.cut(placeOf(safe.text), text.length, "character");
  return safe.text;
}

/** If two keys look the same in safe form, the second gets a number. */
function free(name: string, taken: ReadonlyMap<string, Json>): string {
  let count = 2;
  let one = name;
  for (; taken.has(one); count += 1) one = `${name} (${count})`;
  return one;
}

/** Null, booleans and numbers of tokens are not secrets. */
function isSecretUnder(name: string, value: Json): boolean {
  if (value === null || typeof value === "boolean") return false;
  return isSecretName(name) && !(typeof value === "number" && isTokenCount(name));
}

/** True for the word after `--token` or a similar option in a list of words; an option itself is not a value. */
function isValueOf(before: Json | undefined, item: Json): boolean {
  if (typeof before !== "string" || typeof item !== "string" || item.startsWith("-")) return false;
  return before.length <= MAX_KEY_LENGTH && /^--?[A-Za-z][\w.-]*$/.test(before) && isSecretName(before);
}

function shownText(
  text: string,
  max: number,
): { readonly text: string; readonly isHidden: boolean; readonly isCut: boolean } {
  const near = text.slice(0, max + READ_AHEAD);
  const end = near.length < text.length ? wholeEnd(near, near.length - DOUBTFUL) : text.length;
  let safe = "";
  let from = 0;
  for (const secret of secretsIn(near).filter(({ start }) => start < end)) {
    safe += near.slice(from, secret.start) + HIDDEN;
    from = secret.end;
  }
  const isHidden = from > 0;
  safe += near.slice(from, Math.max(from, end));
  const isCut = end < text.length || safe.length > max;
  return { text: safe.slice(0, wholeEnd(safe, max)), isHidden, isCut };
}

/** `end`, or one less if it would cut a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;
}

import { CofferdamError, visible } from "../errors.ts";

/**
 * A canonical absolute path: starts with `/`, no empty, `.` or `..` name, no NUL, no slash at the end. It says nothing
 * about symlinks. Bytes that are not UTF-8 (names found on disk) are in it as lone surrogates U+DC80…U+DCFF, one a
 * byte, as in Python's PEP 383: `pathFromBytes`, `pathToBytes`.
 */
export type AbsolutePath = string & { readonly absolutePath: unique symbol };

/** The root of the file system. */
export const ROOT = absolutePath("/");

/** True when the text already is an `AbsolutePath`. */
export function isAbsolutePath(text: string): text is AbsolutePath {
  return text === "/" || (text.startsWith("/") && !text.includes("\0") && !NO_NAME.test(text));
}

const NO_NAME = /\/\.{0,2}(?:\/|$)/;

/**
 * A path that a person wrote (config, profile, command line), as an `AbsolutePath`: `//`, `/./` and a slash at the end
 * are tidied; ambiguous text is refused. Throws `PATH_INVALID`: relative, `..`, NUL, control characters, not UTF-8.
 */
export function absolutePath(text: string): AbsolutePath {
  const refuse = (what: string, hint: string): CofferdamError =>
    new CofferdamError("PATH_INVALID", `the path ${visible(text)} ${what}`, { hint });
  if (/[\p{Cc}\p{Cs}]/u.test(text)) throw refuse("contains a control character or is not UTF-8", "rename it");
  if (!text.startsWith("/")) throw refuse("is not absolute", "write it from `/`, or with `${workspace}`");
  const names = namesInText(text);
  if (names.includes("..")) throw refuse("contains `..`", "write the path without `..`");
  return knownPath(`/${names.join("/")}`);
}

/** The names in a path, `..` among them; empty ones and `.` lead nowhere. */
export function namesInText(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** A text that is a canonical path by construction. Throws `INTERNAL` if it is not. */
export function knownPath(text: string): AbsolutePath {
  if (isAbsolutePath(text)) return text;
  throw new CofferdamError("INTERNAL", `${visible(text)} is not a canonical path`);
}

/** The path with its ASCII letters in lower case. */
export function foldedPath(path: AbsolutePath): AbsolutePath {
  return knownPath(foldedText(path));
}

/** The text without the case of its letters, those of ASCII alone: every character stays at its place. */
export function foldedText(text: string): string {
  // Most texts have none, and each name of a folder passes here.
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}

/** The folder that holds the path; `/` holds itself. */
export function parentOf(path: AbsolutePath): AbsolutePath {
  const cut = path.lastIndexOf("/");
  return cut <= 0 ? ROOT : knownPath(path.slice(0, cut));
}

/** The last name of the path; empty for `/`. */
export function nameOf(path: AbsolutePath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The maximum of names in a call's path: each is looked up from the first one on. */
export const MAX_NAMES = 256;

/** True for a written path with more names than the maximum. */
export function isTooDeep(written: string): boolean {
  let names = 0;
  for (let at = 0; at < written.length && names <= MAX_NAMES; ) {
    const slash = written.indexOf("/", at);
    const end = slash < 0 ? written.length : slash;
    if (end > at && !(end === at + 1 && written[at] === ".")) names += 1;
    at = end + 1;
  }
  return names > MAX_NAMES;
}

/** The names of the path from the root down; none for `/`. */
export function namesOf(path: AbsolutePath): readonly string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

/** The names of a path below a folder that it lies in. */
export function namesBelow(path: AbsolutePath, folder: AbsolutePath): readonly string[] {
  return namesOf(path).slice(namesOf(folder).length);
}

/** The path of `name` in `folder`; `name` may have several names in it. */
export function joinPath(folder: AbsolutePath, name: string): AbsolutePath {
  return knownPath(folder === "/" ? `/${name}` : `${folder}/${name}`);
}

/** True when `path` is `folder` or lies below it. */
export function isInside(path: AbsolutePath, folder: AbsolutePath): boolean {
  return folder === "/" || path === folder || (path.startsWith(folder) && path[folder.length] === "/");
}

/** The path itself and every folder above it, nearest first, `/` last. */
export function* upwards(path: AbsolutePath): Generator<AbsolutePath> {
  let at = path;
  for (;;) {
    yield at;
    if (at === "/") return;
    at = parentOf(at);
  }
}

/** The value of the path, or of the nearest folder above it that has one; undefined if none has. */
export function nearestIn<Value>(values: ReadonlyMap<string, Value>, path: AbsolutePath): Value | undefined {
  for (const at of upwards(path)) {
    const value = values.get(at);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The folders that lead from `above` (left out) down to `path` (left out), topmost first. */
export function between(above: AbsolutePath, path: AbsolutePath): readonly AbsolutePath[] {
  const found: AbsolutePath[] = [];
  for (const at of upwards(parentOf(path))) {
    if (at === above || !isInside(at, above)) break;
    found.push(at);
  }
  return found.reverse();
}

/** The order of the characters' codes, the same on every machine: every folder comes before its content. */
export function byPath(a: AbsolutePath, b: AbsolutePath): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** A name or path as the kernel gave it, byte for byte; bytes that are not UTF-8 become U+DC80…U+DCFF. */
export function pathFromBytes(bytes: Uint8Array): string {
  return decodeWhole(bytes) ?? decodeEscaped(bytes);
}

/** The bytes that `pathFromBytes` got. */
export function pathToBytes(path: string): Uint8Array {
  if (path.isWellFormed()) return encoder.encode(path);
  const bytes: number[] = [];
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) bytes.push(code - 0xdc00);
    else bytes.push(...encoder.encode(character));
  }
  return Uint8Array.from(bytes);
}

function decodeWhole(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function decodeEscaped(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0xe0 ? (lead < 0x80 ? 1 : 2) : lead < 0xf0 ? 3 : 4;
    const character = decodeWhole(bytes.subarray(at, at + length));
    text += character ?? String.fromCharCode(0xdc00 + lead);
    at += character === null ? 1 : length;
  }
  return text;
}

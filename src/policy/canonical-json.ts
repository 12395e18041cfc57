import canonicalize from "canonicalize";
import { CofferdamError, visible } from "../errors.ts";
import { placeBelow } from "./json-place.ts";
import { jsonBytes, readJsonText } from "./json-text.ts";
import { newlinesIn } from "./newlines.ts";
import { allSteps } from "./steps.ts";

/** Data that canonical JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Bounds of a value from outside: depth of nesting; number of values, with itself and names of members. */
export const JSON_BOUNDS = { deep: 128, values: 100_000 } as const;
/** Maximum size as JSON text: all other work waits while it is parsed, hashed and written. */
export const MAX_JSON_BYTES = 32 * 1024 ** 2;
const TOO_LARGE = "have more than 32 MiB as JSON text";
/** Maximum length of an argument's name, in UTF-16 units. */
const MAX_KEY = 4_096;
/** A shorter text, in UTF-16 units, is parsed in one step. */
const MAX_STEP = 16 * 1024;
/** The estimated size of a number or a literal of JSON. */
const LEAF_BYTES = 8;

/**
 * The canonical text of a JSON value (RFC 8785): keys in order of their UTF-16 code units, no blanks. Throws `USAGE`
 * for values that it can't hold without loss: lone surrogates, numbers beyond 2^53 or not finite, and anything that is
 * not JSON. Types exclude the last, values from outside may not.
 */
export function canonicalJson(value: Json): string {
  // The set grows during the walk; each value is visited once.
  const all = new Set<unknown>([value]);
  for (const one of all) {
    const look = lookAt(one);
    if (look.kind === "fault") throw new CofferdamError("USAGE", `a value ${look.what}`, { hint: look.hint });
    if (look.kind === "list") for (const item of look.items) all.add(item);
    if (look.kind === "object") for (const [, member] of look.members) all.add(member);
  }
  const text = canonicalize(value);
  if (text === undefined) throw new CofferdamError("INTERNAL", "a value has no canonical text");
  return text;
}

/** The same for a value without members. Throws the same. */
export function canonicalLeaf(value: null | boolean | number | string): string {
  const look = lookAt(value);
  if (look.kind === "leaf") return JSON.stringify(look.value);
  const { what, hint } = look.kind === "fault" ? look : fault("is a list or an object", "send data");
  throw new CofferdamError("USAGE", `a value ${what}`, { hint });
}

/**
 * A value from outside, such as a model's arguments, as JSON: a frozen copy, so that it can't change during a person's
 * review. Every property is read once. `-0` becomes `0`, a key `__proto__` is rejected. Throws `USAGE`, with the place
 * (`arguments.a.b[3]`), for values that canonical JSON can't hold without loss, for cycles, for more than 128 nested
 * lists and objects, for more than 100,000 values in all, and for more than 32 MiB as JSON text.
 */
export function asJson(value: unknown): Json {
  return new JsonCopy().of(value);
}

class JsonCopy {
  readonly #within = new Set<unknown>();
  /** The path to the current value, made into a place only for an error. */
  readonly #steps: (string | number)[] = [];
  #values = JSON_BOUNDS.values;
  #bytes = MAX_JSON_BYTES;

  of(one: unknown): Json {
    const isContainer = typeof one === "object" && one !== null;
    this.#values -= 1;
    const within = Array.isArray(one) ? one.length : isContainer ? 2 * Object.keys(one).length : 0;
    if (this.#values < within) refuse("arguments", "have more than 100,000 values", "send less");
    if (this.#within.has(one)) this.#refuse("contains itself", "send data without cycles");
    if (isContainer && this.#within.size === JSON_BOUNDS.deep)
      this.#refuse("is nested more than 128 levels deep", "use fewer levels");
    const look = lookAt(one);
    if (look.kind === "fault") {
      if (look.key !== undefined) this.#steps.push(look.key);
      this.#refuse(look.what, look.hint);
    }
    if (look.kind === "leaf") {
      this.#add(look.value);
      return look.value;
    }
    this.#within.add(one);
    const copy =
      look.kind === "list"
        ? look.items.map((item, index) => this.#member(index, item))
        : Object.fromEntries(look.members.map(([key, member]) => [key, this.#member(key, member)]));
    this.#within.delete(one);
    return Object.freeze(copy);
  }

  #member(step: string | number, value: unknown): Json {
    this.#steps.push(step);
    if (typeof step === "string") {
      this.#values -= 1;
      if (step.length > MAX_KEY) this.#refuse("has a name of more than 4,096 characters", "use another name");
      this.#add(step);
    }
    const copy = this.of(value);
    this.#steps.pop();
    return copy;
  }

  #add(leaf: null | boolean | number | string): void {
    this.#bytes -= typeof leaf === "string" ? jsonBytes(leaf, this.#bytes) : LEAF_BYTES;
    if (this.#bytes < 0) refuse("arguments", TOO_LARGE, "send less, or the path of a file");
  }

  #refuse(what: string, hint: string): never {
    refuse(
      this.#steps.reduce<string>((at, step) => placeBelow(at, step), "arguments"),
      what,
      hint,
    );
  }
}

/** Arguments as data, or as the JSON text that a model sends. Throws the errors of `parseJson` and `asJson`. */
export function readJson(given: unknown): Json {
  return typeof given === "string" ? parseJson(given) : asJson(given);
}

/** The same, in short steps for a text. */
export function* readJsonInSteps(given: unknown): Generator<void, Json> {
  // The caller could change anything but a text between two steps.
  if (typeof given !== "string") return asJson(given);
  const value = yield* parsed(given);
  // A short text is one step, so that concurrent calls keep their order of requests.
  if (given.length > MAX_STEP) yield;
  return asJson(value);
}

/** JSON text as `asJson` data. Throws `USAGE`, also for a duplicate key: two readers would see two different calls. */
export function parseJson(text: string): Json {
  return asJson(allSteps(parsed(text)));
}

function* parsed(text: string): Generator<void, unknown> {
  if (text.length > MAX_JSON_BYTES) refuse("arguments", TOO_LARGE, "send less, or the path of a file");
  const read = yield* readJsonText(text, JSON_BOUNDS);
  if (read.kind === "value") return read.value;
  yield;
  const before = text.slice(0, read.index);
  const place = `line ${newlinesIn(before) + 1}, column ${before.length - before.lastIndexOf("\n")}`;
  throw new CofferdamError("USAGE", `the arguments are not valid JSON: ${visible(read.what)} (${place})`, {
    hint: "send JSON, each key once",
  });
}

function refuse(at: string, what: string, hint: string): never {
  throw new CofferdamError("USAGE", `${visible(at)} ${what}`, { hint });
}

/** One value without its members. A fault has its description, as a predicate, and its key, if any. */
type Look =
  | { readonly kind: "leaf"; readonly value: null | boolean | number | string }
  | { readonly kind: "list"; readonly items: readonly unknown[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, unknown])[] }
  | { readonly kind: "fault"; readonly what: string; readonly hint: string; readonly key?: string };

function lookAt(value: unknown): Look {
  switch (typeof value) {
    case "boolean":
      return { kind: "leaf", value };
    case "number":
      // Adding turns -0 into 0: JSON has no other text for it.
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { kind: "leaf", value: value + 0 };
      return fault("is a number that is not finite, or too large to be exact", "send it as a string");
    case "string":
      return value.isWellFormed()
        ? { kind: "leaf", value }
        : fault(`contains ${HALF}`, "send well-formed text");
    case "object":
      if (value === null) return { kind: "leaf", value };
      return Array.isArray(value) ? lookAtList(value) : lookAtObject(value);
    case "undefined":
      return fault("is undefined", "leave it out, or send null");
    case "bigint":
      return fault("is a bigint", "send it as a string");
    case "function":
    case "symbol":
      return fault(`is a ${typeof value}`, "send data");
  }
}

const HALF = "half a character (a lone surrogate)";

function lookAtList(list: readonly unknown[]): Look {
  if (Object.getPrototypeOf(list) !== Array.prototype)
    return fault("is an instance of a subclass of Array", "send a plain array");
  if (Reflect.ownKeys(list).length !== list.length + 1)
    return fault("is a list with gaps or extra properties", "send a plain array");
  const items = Array.from(list, (_, index) => Object.getOwnPropertyDescriptor(list, index));
  if (!items.every(isPlain)) return fault("is a list with gaps or computed items", "send a plain array");
  return { kind: "list", items: items.map((item): unknown => item?.value) };
}

function lookAtObject(object: object): Look {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype)
    return fault("is an instance of a class", "send a plain object");
  const members: (readonly [string, unknown])[] = [];
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") return fault("is an object with a symbol as a key", "send a plain object");
    // Libraries drop it or give it a special meaning: two readers would see two different calls.
    if (key === "__proto__") return { ...fault("is a reserved name", "use another name"), key };
    if (!key.isWellFormed()) return { ...fault(`has ${HALF} in its name`, "send well-formed text"), key };
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (!isPlain(property)) return { ...fault("is computed or not enumerable", "send a plain object"), key };
    members.push([key, property?.value]);
  }
  return { kind: "object", members };
}

function isPlain(property: PropertyDescriptor | undefined): boolean {
  return property !== undefined && "value" in property && property.enumerable === true;
}

function fault(what: string, hint: string): Look & { readonly kind: "fault" } {
  return { kind: "fault", what, hint };
}

/** True for a list, false for an object. */
export function isList(value: Exclude<Json, string | number | boolean | null>): value is readonly Json[] {
  return Array.isArray(value);
}

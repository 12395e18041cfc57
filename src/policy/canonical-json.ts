import canonicalize from "canonicalize";
import { CofferdamError, visible } from "../errors.ts";
import { placeBelow } from "./json-place.ts";
import { jsonBytes, readJsonText } from "./json-text.ts";
import { newlinesIn } from "./newlines.ts";
import { allSteps } from "./steps.ts";

/** Data that canonical JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How much a value from outside may hold: lists and objects in one another; values in all, itself and names of members counted. */
export const JSON_BOUNDS = { deep: 128, values: 100_000 } as const;
/** How large it may be as JSON text: everything else waits while it is read, hashed and written down. */
export const MAX_JSON_BYTES = 32 * 1024 ** 2;
const TOO_LARGE = "hold more than 32 MiB as JSON text";
/** No argument has a longer name, in UTF-16 units. */
const MAX_KEY = 4_096;
/** A shorter text, in UTF-16 units, is read in one step. */
const MAX_STEP = 16 * 1024;
/** What a number or a word of JSON counts for. */
const LEAF_BYTES = 8;

/**
 * The one text of a JSON value (RFC 8785): keys in order of their UTF-16 code units, no blanks.
 * Throws `USAGE` for what it can't hold without loss: lone surrogates, numbers beyond 2^53 or not finite, and
 * everything that is no JSON at all, which types keep out but values from outside may be.
 */
export function canonicalJson(value: Json): string {
  // The set grows while it is walked, and each value is looked at once.
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

/** The same of a value in which no other is. Throws the same. */
export function canonicalLeaf(value: null | boolean | number | string): string {
  const look = lookAt(value);
  if (look.kind === "leaf") return JSON.stringify(look.value);
  const { what, hint } = look.kind === "fault" ? look : fault("is no leaf", "send data");
  throw new CofferdamError("USAGE", `a value ${what}`, { hint });
}

/**
 * A value from outside, such as a model's arguments, as JSON: a frozen copy, so that nobody can change it while a
 * person thinks. Every property is read once. `-0` becomes `0`, a key `__proto__` is refused.
 * Throws `USAGE`, with the place (`arguments.a.b[3]`), for what canonical JSON can't hold without loss, for what holds
 * itself, for more than 128 lists and objects in one another, for more than 100,000 values in all, and for more than
 * 32 MiB as JSON text.
 */
export function asJson(value: unknown): Json {
  return new JsonCopy().of(value);
}

/** Copies one value from outside. */
class JsonCopy {
  readonly #within = new Set<unknown>();
  /** The way to what is copied now: its place is told only where it is refused. */
  readonly #steps: (string | number)[] = [];
  #values = JSON_BOUNDS.values;
  #bytes = MAX_JSON_BYTES;

  of(one: unknown): Json {
    const isContainer = typeof one === "object" && one !== null;
    this.#values -= 1;
    const within = Array.isArray(one) ? one.length : isContainer ? 2 * Object.keys(one).length : 0;
    if (this.#values < within) refuse("arguments", "hold more than 100,000 values in all", "send less");
    if (this.#within.has(one)) this.#refuse("holds itself", "send a tree");
    if (isContainer && this.#within.size === JSON_BOUNDS.deep)
      this.#refuse("stands more than 128 deep", "send a flatter value");
    const look = lookAt(one);
    if (look.kind === "fault") {
      if (look.key !== undefined) this.#steps.push(look.key);
      this.#refuse(look.what, look.hint);
    }
    if (look.kind === "leaf") {
      this.#take(look.value);
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
      if (step.length > MAX_KEY) this.#refuse("has a longer name than 4,096 characters", "use another name");
      this.#take(step);
    }
    const copy = this.of(value);
    this.#steps.pop();
    return copy;
  }

  #take(leaf: null | boolean | number | string): void {
    this.#bytes -= typeof leaf === "string" ? jsonBytes(leaf, this.#bytes) : LEAF_BYTES;
    if (this.#bytes < 0) refuse("arguments", TOO_LARGE, "send less, or a file's name");
  }

  #refuse(what: string, hint: string): never {
    refuse(
      this.#steps.reduce<string>((at, step) => placeBelow(at, step), "arguments"),
      what,
      hint,
    );
  }
}

/** Arguments as data, or as the JSON text that a model sends. Throws as `parseJson` and `asJson` do. */
export function readJson(given: unknown): Json {
  return typeof given === "string" ? parseJson(given) : asJson(given);
}

/** The same, a text in steps, none of which takes long. */
export function* readJsonInSteps(given: unknown): Generator<void, Json> {
  // What is no text its caller could change meanwhile.
  if (typeof given !== "string") return asJson(given);
  const value = yield* parsed(given);
  // A short text is one step, so that calls made at once are asked about in their order.
  if (given.length > MAX_STEP) yield;
  return asJson(value);
}

/**
 * JSON text as a model sends it, as `asJson` gives it. Throws `USAGE`, with line and column, for malformed text and for
 * an object that has a key twice: two readers of it would see two different calls. Else as `asJson`.
 */
export function parseJson(text: string): Json {
  return asJson(allSteps(parsed(text)));
}

function* parsed(text: string): Generator<void, unknown> {
  if (text.length > MAX_JSON_BYTES) refuse("arguments", TOO_LARGE, "send less, or a file's name");
  const read = yield* readJsonText(text, JSON_BOUNDS);
  if (read.kind === "value") return read.value;
  yield;
  const before = text.slice(0, read.index);
  const place = `line ${newlinesIn(before) + 1}, column ${before.length - before.lastIndexOf("\n")}`;
  throw new CofferdamError("USAGE", `the arguments can't be read: ${visible(read.what)} (${place})`, {
    hint: "send JSON, each key once",
  });
}

function refuse(at: string, what: string, hint: string): never {
  throw new CofferdamError("USAGE", `${visible(at)} ${what}`, { hint });
}

/** One value without what is in it. Of a fault: what is wrong, as a predicate, and the key that it is about, if one. */
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
      // Adding makes 0 of -0, which JSON has no other text for.
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { kind: "leaf", value: value + 0 };
      return fault("is a number that is not finite, or too large to be told exactly", "send it as a string");
    case "string":
      return value.isWellFormed() ? { kind: "leaf", value } : fault(`holds ${HALF}`, "send well-formed text");
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
    return fault("is a list of a class", "send a plain array");
  if (Reflect.ownKeys(list).length !== list.length + 1)
    return fault("is a list with gaps, or with names beside its items", "send a plain array");
  const items = Array.from(list, (_, index) => Object.getOwnPropertyDescriptor(list, index));
  if (!items.every(isPlain))
    return fault("is a list with gaps, or with an item that is computed", "send a plain array");
  return { kind: "list", items: items.map((item): unknown => item?.value) };
}

function lookAtObject(object: object): Look {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype)
    return fault("is an object of a class", "send a plain object");
  const members: (readonly [string, unknown])[] = [];
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") return fault("is an object with a symbol for a key", "send a plain object");
    // Libraries drop it or take it for more than data: two readers would see two different calls.
    if (key === "__proto__")
      return { ...fault("is a name that no argument can have", "use another name"), key };
    if (!key.isWellFormed()) return { ...fault(`has ${HALF} in its name`, "send well-formed text"), key };
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (!isPlain(property))
      return { ...fault("is computed, or hidden from a copy", "send a plain object"), key };
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

/** True for a list, and not an object. */
export function isList(value: Exclude<Json, string | number | boolean | null>): value is readonly Json[] {
  return Array.isArray(value);
}

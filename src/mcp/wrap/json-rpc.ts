import { escapeInvisible } from "../../errors.ts";
import { MAX_AT_ONCE, otherTurns } from "../../host/turns.ts";
import { holdsMoreThan } from "../../policy/json-size.ts";
import { type JsonReading, readJsonText } from "../../policy/json-text.ts";
import { messageHeads } from "../message-heads.ts";
import { otherSpelling } from "./spelling.ts";

/** The id of a JSON-RPC message. */
export type Id = string | number;

/** A JSON object as it was received. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A valid JSON-RPC request. */
export interface JsonRpcRequest {
  readonly kind: "request";
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject | null;
}

/**
 * One checked message of JSON-RPC 2.0. A number that JavaScript would print differently is kept as it was written and
 * is not a number here.
 */
export type JsonRpcMessage =
  | JsonRpcRequest
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "response"; readonly id: Id | null; readonly response: JsonObject };

/** An invalid message: the reason, its id if that could be read, and whether it is a response. */
export interface InvalidMessage {
  readonly kind: "fault";
  readonly because: string;
  readonly id: Id | null;
  readonly isResponse: boolean;
}

const MAX_IN_A_BATCH = 100;
const MAX_NAME_LENGTH = 256;

/**
 * The messages of a line: a single one, or each of a batch. Ambiguous input is invalid: a duplicate key, `__proto__`,
 * text after the value, or members unknown to JSON-RPC. Works in steps.
 */
export function* parseMessages(
  text: string,
  isUtf8 = true,
): Generator<void, readonly (JsonRpcMessage | InvalidMessage)[]> {
  if (!isUtf8) return yield* invalidText("the message is not valid UTF-8", text);
  const read = yield* readJsonText(text, READING);
  if (read.kind === "fault") {
    // It may quote the message.
    const why = escapeInvisible(read.what);
    return yield* invalidText(read.mayBeJson ? why : `invalid JSON: ${why}`, text);
  }
  if (text.length > MAX_AT_ONCE) yield;
  const { value } = read;
  if (!Array.isArray(value)) return [parseMessage(value)];
  if (value.length === 0 || value.length > MAX_IN_A_BATCH)
    return yield* invalidText(`a batch must have 1 to ${MAX_IN_A_BATCH} messages`, text);
  return value.map((one: unknown) => parseMessage(one));
}

/** One invalid message for each id that can still be read in the text; without any, a single one. */
function* invalidText(because: string, text: string): Generator<void, readonly InvalidMessage[]> {
  const heads = yield* messageHeads(text);
  if (heads.length === 0) return [{ kind: "fault", because, id: null, isResponse: false }];
  return heads.map((head) => ({ kind: "fault", because, ...head }));
}

/** Yields between two steps of work on a large message, so that other work can run. Other messages keep their order. */
export async function turnsIfLarge(message: unknown): Promise<void> {
  if (holdsMoreThan(MAX_AT_ONCE, message)) await otherTurns();
}

/** The message as one line of JSON-RPC, with a line feed at the end. */
export function printMessage(message: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** The value if it is an object, or null. A number that is kept as it was written has no prototype and is none. */
export function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** The object's own member, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value if it is the type of an id, or null. */
export function idOf(value: unknown): Id | null {
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** Limits of one message, because handling it as a whole blocks the event loop. */
const READING: JsonReading = { deep: 512, values: 400_000, number: exactNumber, forbidden: "__proto__" };

/**
 * A number that JavaScript would print differently, as it was written
 * (https://github.com/tc39/proposal-json-parse-with-source). A whole number is the same in every spelling: all readers
 * take `-32042.0` for `-32042`.
 */
function exactNumber(written: string): unknown {
  const value = Number(written);
  if (Number.isSafeInteger(value) || String(value) === written) return value;
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  return typeof rawJson === "function" ? Reflect.apply(rawJson, JSON, [written]) : value;
}

/** A method name has no characters that a reader could skip. */
const METHOD = /^[A-Za-z0-9_$][A-Za-z0-9_$./:-]*$/;
/** Methods that the gate decides about. No other spelling may mean them. */
const GATED: readonly string[] = ["tools/call", "tools/list", "sampling/createMessage", "elicitation/create"];
const ERROR_KEYS = ["code", "message", "data"];
const KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

function parseMessage(value: unknown): JsonRpcMessage | InvalidMessage {
  const message = objectOf(value);
  const id = readId(memberOf(message, "id"));
  const has = (name: string): boolean => message !== null && Object.hasOwn(message, name);
  const isJsonRpc = memberOf(message, "jsonrpc") === "2.0";
  const isResponse = !has("method") && !has("params") && (isJsonRpc || has("result") || has("error"));
  const invalid = (because: string): InvalidMessage => ({
    kind: "fault",
    because,
    id: id ?? null,
    isResponse,
  });
  if (message === null) return invalid("the message is not an object");
  if (!isJsonRpc) return invalid("`jsonrpc` is not `2.0`");
  if (!Object.keys(message).every((key) => KEYS.has(key))) return invalid("the message has unknown members");
  if (has("id") && id === undefined) return invalid("`id` is neither a string nor an integer");
  const problem = has("method") ? requestProblem(message, id) : responseProblem(message, id);
  if (problem !== null) return invalid(problem);
  const { method, result, error } = message;
  if (typeof method !== "string")
    return { kind: "response", id: id ?? null, response: has("error") ? { error } : { result } };
  const params = objectOf(memberOf(message, "params"));
  return id == null ? { kind: "notification", method, params } : { kind: "request", id, method, params };
}

function requestProblem(message: JsonObject, id: Id | null | undefined): string | null {
  const { method } = message;
  if (typeof method !== "string" || !METHOD.test(method) || method.length > MAX_NAME_LENGTH)
    return "`method` is not a valid name";
  const gated = GATED.find((name) => name.toLowerCase() === method.toLowerCase());
  if (gated !== undefined && gated !== method) return `\`method\` could be taken for \`${gated}\``;
  if (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
    return "the message is both a request and a response";
  if (Object.hasOwn(message, "params") && objectOf(message["params"]) === null)
    return "`params` is not an object";
  return id === null ? "`id` is null" : null;
}

function responseProblem(message: JsonObject, id: Id | null | undefined): string | null {
  if (
    Object.hasOwn(message, "params") ||
    Object.hasOwn(message, "result") === Object.hasOwn(message, "error")
  )
    return "the message is neither a request nor a response";
  if (Object.hasOwn(message, "error")) {
    const error = objectOf(message["error"]) ?? {};
    if (otherSpelling(Object.keys(error), ERROR_KEYS) !== null) return "`error` has ambiguous members";
    const isError = Number.isSafeInteger(error["code"]) && typeof error["message"] === "string";
    return isError ? null : "`error` is not a valid JSON-RPC error";
  }
  if (objectOf(message["result"]) === null) return "`result` is not an object";
  return id == null ? "the response has no `id`" : null;
}

/** The id; undefined if it is missing or invalid. */
function readId(id: unknown): Id | null | undefined {
  if (id === null) return null;
  if (typeof id === "string" && id.length <= MAX_NAME_LENGTH) return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

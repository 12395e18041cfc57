import { type JsonReading, readJsonText } from "../../policy/json-text.ts";
import { otherSpelling } from "./spelling.ts";

/** What a message is known by while it is under way. */
export type Id = string | number;

/** The members of an object as they came. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * One message of JSON-RPC 2.0, checked. What is decided on is what is printed. A number that JavaScript would write otherwise
 * stands there as it was written, and is no number to anybody here; but one that is a whole number is that number, however it
 * was written.
 */
export type Message =
  | { readonly kind: "request"; readonly id: Id; readonly method: string; readonly params: Members | null }
  | { readonly kind: "notification"; readonly method: string; readonly params: Members | null }
  | { readonly kind: "result"; readonly id: Id; readonly result: Members }
  | { readonly kind: "error"; readonly id: Id | null; readonly error: Members };

/** What is no message: why, and the id that an answer about it can name. */
export interface Fault {
  readonly kind: "fault";
  readonly because: string;
  readonly id: Id | null;
}

/** The most messages in one line. */
const MOST_IN_A_BATCH = 100;
/** Longer ids and names of methods nobody has. */
const MOST_OF_A_NAME = 256;

/**
 * The messages of one line: one, or those of a list, each by itself. What could be read in two ways is none: a key that
 * stands there twice, `__proto__`, anything behind the value, members that JSON-RPC does not have. In steps.
 */
export function* lineSteps(text: string): Generator<void, readonly (Message | Fault)[]> {
  const read = yield* readJsonText(text, READING);
  if (read.kind === "fault") return [fault(read.mayBeJson ? read.what : `it is no JSON: ${read.what}`)];
  const { value } = read;
  if (!Array.isArray(value)) return [messageOf(value)];
  if (value.length === 0 || value.length > MOST_IN_A_BATCH)
    return [fault(`a list of messages holds 1 to ${MOST_IN_A_BATCH}`)];
  return value.map((one: unknown) => messageOf(one));
}

/** Members as one line of JSON-RPC, its line feed at the end. */
export function printLine(members: Members): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...members })}\n`;
}

/** The members of what is an object; null of anything else. */
export function membersOf(value: unknown): Members | null {
  return isMembers(value) ? value : null;
}

/** A member of an object that it has itself; undefined where it has none. */
export function memberOf(value: unknown, name: string): unknown {
  const members = membersOf(value);
  return members !== null && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** A number that stands as it was written is an object, too, and has no prototype. */
function isMembers(value: unknown): value is Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** Everything else waits for what is done with a message as a whole. */
const READING: JsonReading = { deep: 512, values: 400_000, number: exactNumber, forbidden: "__proto__" };

/**
 * A number that would be written otherwise, as it was written (https://github.com/tc39/proposal-json-parse-with-source). A
 * whole one is itself in every spelling: `-32042.0` means the same to whoever reads it as `-32042`.
 */
function exactNumber(written: string): unknown {
  const value = Number(written);
  if (Number.isSafeInteger(value) || String(value) === written) return value;
  const rawJson: unknown = Reflect.get(JSON, "rawJSON");
  return typeof rawJson === "function" ? Reflect.apply(rawJson, JSON, [written]) : value;
}

/** Nothing stands in the name of a method that a reader could skip. */
const METHOD = /^[A-Za-z0-9_$][A-Za-z0-9_$./:-]*$/;
/** Methods that something is decided about: no other spelling may mean them. */
const GATED: readonly string[] = ["tools/call", "tools/list", "sampling/createMessage", "elicitation/create"];

const OF_AN_ERROR = ["code", "message", "data"];
const KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

function messageOf(value: unknown): Message | Fault {
  const members = membersOf(value);
  if (members === null) return fault("it is no object");
  const id = idOf(members);
  const answerTo = id === undefined ? null : id;
  const refused = (because: string): Fault => ({ kind: "fault", because, id: answerTo });
  if (memberOf(members, "jsonrpc") !== "2.0") return refused("it is not of JSON-RPC 2.0");
  if (!Object.keys(members).every((key) => KEYS.has(key)))
    return refused("it has members that no message has");
  if (Object.hasOwn(members, "id") && id === undefined)
    return refused("its id is neither a text nor a whole number");
  return Object.hasOwn(members, "method") ? askingOf(members, id, refused) : answerOf(members, id, refused);
}

function askingOf(
  members: Members,
  id: Id | null | undefined,
  refused: (because: string) => Fault,
): Message | Fault {
  const { method } = members;
  if (typeof method !== "string" || !METHOD.test(method) || method.length > MOST_OF_A_NAME)
    return refused("its method is no name");
  const gated = GATED.find((name) => name.toLowerCase() === method.toLowerCase());
  if (gated !== undefined && gated !== method) return refused("its method could be taken for another");
  if (Object.hasOwn(members, "result") || Object.hasOwn(members, "error"))
    return refused("it is a question and an answer at once");
  const params = membersOf(memberOf(members, "params"));
  if (Object.hasOwn(members, "params") && params === null) return refused("its params are no object");
  if (id === null) return refused("its id is null");
  return id === undefined
    ? { kind: "notification", method, params }
    : { kind: "request", id, method, params };
}

function answerOf(
  members: Members,
  id: Id | null | undefined,
  refused: (because: string) => Fault,
): Message | Fault {
  const [result, error] = [membersOf(memberOf(members, "result")), membersOf(memberOf(members, "error"))];
  if (
    Object.hasOwn(members, "params") ||
    Object.hasOwn(members, "result") === Object.hasOwn(members, "error")
  )
    return refused("it is neither a question nor an answer");
  if (error !== null) {
    const isError = Number.isSafeInteger(error["code"]) && typeof error["message"] === "string";
    if (otherSpelling(Object.keys(error), OF_AN_ERROR) !== null)
      return refused("its error could be read in two ways");
    return isError ? { kind: "error", id: id ?? null, error } : refused("its error is none");
  }
  if (result === null) return refused("its result is no object");
  return id === undefined || id === null ? refused("it answers nothing") : { kind: "result", id, result };
}

/** Undefined where there is none, or what there is can be none. */
function idOf(members: Members): Id | null | undefined {
  const id = memberOf(members, "id");
  if (id === null) return null;
  if (typeof id === "string" && id.length <= MOST_OF_A_NAME) return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

function fault(because: string): Fault {
  return { kind: "fault", because, id: null };
}

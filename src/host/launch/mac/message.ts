import { z } from "zod";
import { orNull } from "../../or-null.ts";

/**
 * The tag that a profile gives its denies as `(with message …)`, one a call: `cofferdam-` and 16 hexadecimal digits.
 * They are random and unknown to other calls: who knows a tag can end a path with it, and nothing may follow it.
 */
const TAG = /^cofferdam-[0-9a-f]{16}$/;

/** True if the text can be a call's tag. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Sender of a refusal message: the kernel's Sandbox, or `sandboxd`, which on some versions repeats it with details. */
export type Teller = "kernel" | "sandboxd";

/** A message about a refused operation. */
export interface RefusalMessage {
  readonly operation: string;
  readonly target: string | null;
  readonly process: string;
  readonly pid: number;
  readonly parentPid: number | null;
  readonly tag: string | null;
  /** Number of refusals: messages that repeat the last one are reported together. */
  readonly count: number;
}

const MAX_CHARACTERS = 1_000;

/** `2 * MAXCOMLEN` (xnu bsd/sys/proc_internal.h: `p_name`); the kernel's messages have 16 (`MTLCompilerServi(187)`). */
const MAX_NAME_LENGTH = 32;

const START = /^(?:(\d{1,9}) duplicate reports? for )?Sandbox: /;

/** The text after a name. The system refuses `System Policy: ` messages to every process; they come from no profile. */
const AFTER_NAME = /\((\d{1,10})\) deny\(\d{1,10}\) ([a-z][a-z0-9*-]{0,63})(?![^ \n])/g;

/** Result for an ambiguous message: a program chose a part of the text, and two readings are possible. */
export const TWO_READINGS = "two readings";

/**
 * Parses a refusal's message: `Sandbox: <name>(<pid>) deny(<n>) <operation>[ <argument>]`, and on a line of its own the
 * profile's tag. A program chooses name and argument, including parentheses, line breaks and imitations of the format.
 * A name is short, so its end is searched within that length; with two possible ends, nothing is read. The kernel puts
 * the tag after everything else. `sandboxd` adds lines in between that begin with `Process:`, `Path:`, `Responsible:`
 * and so on, and as the last one `MetaData: ` with JSON. Null for any other message.
 */
export function readMessage(
  text: string,
  teller: Teller,
  beside: unknown,
): RefusalMessage | typeof TWO_READINGS | null {
  const start = START.exec(text);
  if (start === null) return null;
  const said = text.slice(start[0].length);
  const [head, second] = headsOf(said);
  if (head === undefined) return null;
  if (second !== undefined) return TWO_READINGS;
  const { process, pid, operation, rest } = head;
  const details = teller === "sandboxd" ? detailsOf(text, beside) : null;
  const own = details?.pid === pid ? details : null;
  const meant = own?.operation ?? operation;
  const argument = teller === "kernel" ? untagged(rest) : (rest.split("\n", 1)[0] ?? "");
  const target = targetOf(own) ?? (meant === operation && argument.startsWith(" ") ? argument.slice(1) : "");
  return {
    operation: kept(meant),
    target: target === "" ? null : kept(target),
    process: kept(process),
    pid,
    parentPid: own?.["parent-process-pid"] ?? null,
    tag: tagOf(text, teller) ?? tagIn(own?.message ?? ""),
    count: Number(start[1] ?? 1),
  };
}

interface Head extends Pick<RefusalMessage, "process" | "pid" | "operation"> {
  readonly rest: string;
}

function headsOf(said: string): readonly Head[] {
  // A name, a pid, `deny(1)` and an operation: a later match is not the end of a name.
  const near = said.slice(0, MAX_NAME_LENGTH + 128);
  return [...near.matchAll(AFTER_NAME)]
    .filter(({ index }) => index > 0 && index <= MAX_NAME_LENGTH)
    .map((found) => ({
      process: said.slice(0, found.index),
      pid: Number(found[1]),
      operation: found[2] ?? "",
      rest: said.slice(found.index + found[0].length),
    }));
}

/** The argument of a kernel's message, with the space before it, without the tag after it. */
function untagged(rest: string): string {
  const cut = rest.trimEnd().lastIndexOf("\n");
  return cut !== -1 && isTag(rest.slice(cut + 1).trim()) ? rest.slice(0, cut) : rest;
}

function tagOf(text: string, teller: Teller): string | null {
  const lines = text.trimEnd().split("\n").slice(1);
  const where = teller === "kernel" ? lines.slice(-1) : lines;
  return tagIn(where.findLast((line) => isTag(line.trim())) ?? "");
}

function tagIn(text: string): string | null {
  return isTag(text.trim()) ? kept(text.trim()) : null;
}

const Text = z.string().nullable().catch(null);
const Pid = z.int().nonnegative().nullable().catch(null);

/** The used part of the JSON that `sandboxd` adds, as of macOS 26.2. */
const Details = z.object({
  pid: Pid,
  operation: z
    .string()
    .regex(/^[a-z][a-z0-9*-]{0,63}$/)
    .nullable()
    .catch(null),
  target: Text,
  path: Text,
  "global-name": Text,
  "parent-process-pid": Pid,
  message: Text,
});
type Details = z.infer<typeof Details>;

/** From a field beside the message, else from its last line. JSON has no line breaks, so no path can end with one. */
function detailsOf(text: string, beside: unknown): Details | null {
  const found = typeof beside === "string" ? parsed(beside) : beside;
  const last = text.lastIndexOf("\nMetaData: ");
  const data = found ?? (last === -1 ? null : parsed(text.slice(last + "\nMetaData: ".length)));
  return Details.safeParse(data).data ?? null;
}

function targetOf(details: Details | null): string | null {
  return details?.target ?? details?.path ?? details?.["global-name"] ?? null;
}

/** The value of a JSON text; null if it is invalid. */
export function parsed(text: string): unknown {
  return orNull((): unknown => JSON.parse(text));
}

/** Copies the start of a text: a slice would keep the whole line in memory. */
function kept(text: string): string {
  const start = text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
  return Buffer.from(start, "utf16le").toString("utf16le");
}

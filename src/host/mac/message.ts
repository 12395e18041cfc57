import { z } from "zod";

/**
 * The tag that a profile gives its denies as `(with message …)`, one a call: `cofferdam-` and 16 hexadecimal digits. They
 * are random, and no other call knows them: who knows a tag can have a path end with it, and nothing else may stand behind.
 */
const TAG = /^cofferdam-[0-9a-f]{16}$/;

/** True for a text that can be a call's tag. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Who told of a refusal: the kernel's Sandbox, or `sandboxd`, which on some versions tells the same again, with more. */
export type Teller = "kernel" | "sandboxd";

/** A message about something refused. */
export interface Message {
  readonly operation: string;
  readonly target: string | null;
  readonly process: string;
  readonly pid: number;
  readonly parentPid: number | null;
  readonly tag: string | null;
  /** How often: messages that repeat the last one are told together. */
  readonly count: number;
}

/** So much of one text is kept. */
const MOST_CHARACTERS = 1_000;

/**
 * No process's name is longer: `2 * MAXCOMLEN` (xnu, bsd/sys/proc_internal.h: `p_name`). The kernel's messages have 16
 * (`MTLCompilerServi(187)`).
 */
const MOST_OF_A_NAME = 32;

/** `Sandbox: `, or with `3 duplicate reports for ` in front. */
const START = /^(?:(\d{1,9}) duplicate reports? for )?Sandbox: /;

/** What follows a name. What says `System Policy: ` there is refused by the system to everybody, not by a profile. */
const AFTER_NAME = /\((\d{1,10})\) deny\(\d{1,10}\) ([a-z][a-z0-9*-]{0,63})(?![^ \n])/g;

/** What no message may be read as: two readings of one text, of which a program chose a part. */
export const TWO_READINGS = "two readings";

/**
 * A refusal's message: `Sandbox: <name>(<pid>) deny(<n>) <operation>[ <argument>]`, and on a line of its own the profile's
 * tag. Name and argument are whatever a program chose, parentheses, line breaks and imitations of all of this
 * included. A name is short, so that the end of it is looked for where it can be; where there are two such places,
 * nothing is read. The kernel puts the tag behind everything else. `sandboxd` has lines that begin with `Process:`,
 * `Path:`, `Responsible:` and so on between, and as the last one `MetaData: ` with JSON. Null for any other message.
 */
export function readMessage(
  text: string,
  teller: Teller,
  beside: unknown,
): Message | typeof TWO_READINGS | null {
  const start = START.exec(text);
  if (start === null) return null;
  const said = text.slice(start[0].length);
  const [head, second] = headsOf(said);
  if (head === undefined) return null;
  if (second !== undefined) return TWO_READINGS;
  const { process, pid, operation, rest } = head;
  const details = teller === "sandboxd" ? detailsOf(text, beside) : null;
  const told = details?.pid === pid ? details : null;
  const meant = told?.operation ?? operation;
  const argument = teller === "kernel" ? untagged(rest) : (rest.split("\n", 1)[0] ?? "");
  const target = targetOf(told) ?? (meant === operation && argument.startsWith(" ") ? argument.slice(1) : "");
  return {
    operation: kept(meant),
    target: target === "" ? null : kept(target),
    process: kept(process),
    pid,
    parentPid: told?.["parent-process-pid"] ?? null,
    tag: tagOf(text, teller) ?? tagIn(told?.message ?? ""),
    count: Number(start[1] ?? 1),
  };
}

interface Head {
  readonly process: string;
  readonly pid: number;
  readonly operation: string;
  /** From behind the operation on. */
  readonly rest: string;
}

/** Every way to tell the name from what follows it. */
function headsOf(said: string): readonly Head[] {
  // A name, a pid, `deny(1)` and an operation: what begins later is no end of a name.
  const near = said.slice(0, MOST_OF_A_NAME + 128);
  return [...near.matchAll(AFTER_NAME)]
    .filter(({ index }) => index > 0 && index <= MOST_OF_A_NAME)
    .map((found) => ({
      process: said.slice(0, found.index),
      pid: Number(found[1]),
      operation: found[2] ?? "",
      rest: said.slice(found.index + found[0].length),
    }));
}

/** The argument of a kernel's message, with the space before it, without the tag behind it. */
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

/**
 * What `sandboxd` says again as JSON, of which this is used (macOS 26.2: `"operation":"mach-lookup"`,
 * `"target":"com.apple.…"`, `"pid":96060`, `"parent-process-pid":96057`).
 */
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

/** By a field beside the message, else by the message's last line: JSON has no line breaks, so that no path can end with one. */
function detailsOf(text: string, beside: unknown): Details | null {
  const found = typeof beside === "string" ? parsed(beside) : beside;
  const last = text.lastIndexOf("\nMetaData: ");
  const told = found ?? (last === -1 ? null : parsed(text.slice(last + "\nMetaData: ".length)));
  return Details.safeParse(told).data ?? null;
}

function targetOf(told: Details | null): string | null {
  return told?.target ?? told?.path ?? told?.["global-name"] ?? null;
}

/** The value of a JSON text; null where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The start of a text as a text of its own: a slice would keep all of its line in memory. */
function kept(text: string): string {
  const start = text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
  return Buffer.from(start, "utf16le").toString("utf16le");
}

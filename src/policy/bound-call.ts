import { z } from "zod";
import { visible } from "../errors.ts";
import { jsonDigest } from "./json-digest.ts";
import { redactText } from "./redact.ts";
import { spelledOut } from "./spelled-out.ts";

/** A part of a call that can change after a person was asked about it. */
export const CallPart = z
  .strictObject({
    part: z
      .enum(["input", "tool", "folder", "program", "file", "root", "access", "variable", "home"])
      .describe("the kind of the part"),
    name: z.string().nullable().describe("its path or name; null if there is only one of its kind"),
  })
  .readonly();
export type CallPart = z.infer<typeof CallPart>;

/** A part with the SHA-256 of its state. A store keeps only the beginning of a variable's digest: see `keptBinding`. */
export const BoundPart = z.strictObject({ ...CallPart.unwrap().shape, digest: z.string().min(1) }).readonly();
export type BoundPart = z.infer<typeof BoundPart>;

/** The share of the asking process in a run. Another process plans the same run with it. Never shown or logged. */
export const CallOrigin = z
  .strictObject({
    /** The folder that relative paths of the input start from. */
    cwd: z.string(),
    /** The same folder as the caller's shell spells it; null if unknown. */
    pwd: z.string().nullable(),
    /** The variables that the run takes from the process, without those that may hold a secret. */
    env: z.record(z.string(), z.string()).readonly(),
    /** The names of the others. Each process has its own value; the approval holds only for an equal one. */
    secrets: z.array(z.string()).readonly(),
  })
  .readonly();
export type CallOrigin = z.infer<typeof CallOrigin>;

/** Everything that an approval of a call is bound to, in parts. */
export const BoundCall = z
  .strictObject({
    /** SHA-256 of the call as its caller wrote it, whatever has changed around it since. */
    key: z.string(),
    parts: z.array(BoundPart).readonly(),
    /** Null if nothing of the run comes from the asking process. */
    origin: CallOrigin.nullable(),
  })
  .readonly();
export type BoundCall = z.infer<typeof BoundCall>;

/** Hex digits stored of a variable's digest: enough to name a change, too few to test guesses of a secret. */
const VARIABLE_DIGITS = 4;
/** Maximum of parts that a message lists. */
const MAX_LISTED = 5;

/** A part in its current state. */
export function boundPart(
  part: CallPart["part"],
  name: string | null,
  state: Parameters<typeof jsonDigest>[0],
  digests?: Parameters<typeof jsonDigest>[1],
): BoundPart {
  return { part, name: name === null ? null : spelledOut(name), digest: jsonDigest(state, digests) };
}

/** Parts in an order that does not depend on where they were found. */
export function inOrder(parts: readonly BoundPart[]): readonly BoundPart[] {
  const keyed = parts.map((one) => [JSON.stringify([one.part, one.name, one.digest]), one] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, one]) => one);
}

/** The form that is stored with a request. A digest of a variable alone could be used to guess its value. */
export function keptBinding({ parts, ...rest }: BoundCall): BoundCall {
  return {
    ...rest,
    parts: parts.map((one) =>
      one.part === "variable" ? { ...one, digest: one.digest.slice(0, VARIABLE_DIGITS) } : one,
    ),
  };
}

/**
 * The parts that differ between a stored call and the same call now, each once. Each difference in whole digests is
 * found; of variables one in 65,536 is missed, so the result may be empty for a call that has changed.
 */
export function changedParts(then: readonly BoundPart[], now: readonly BoundPart[]): readonly CallPart[] {
  const keyOf = ({ part, name }: CallPart): string => JSON.stringify([part, name]);
  const [before, after] = [Map.groupBy(then, keyOf), Map.groupBy(now, keyOf)];
  const isSame = (one: BoundPart, other: BoundPart): boolean => other.digest.startsWith(one.digest);
  const changed = [
    ...now.filter((one) => before.get(keyOf(one))?.some((other) => isSame(other, one)) !== true),
    ...then.filter((one) => after.get(keyOf(one))?.some((other) => isSame(one, other)) !== true),
  ];
  return [...new Map(changed.map((one) => [keyOf(one), { part: one.part, name: one.name }])).values()];
}

/** The changed parts in words: ``the program `bin/tool` and the variable `TERM` ``. */
export function printChanged(changed: readonly CallPart[]): string {
  if (changed.length === 0) return "a part of it whose state is not stored";
  const listed = changed.slice(0, MAX_LISTED).map(printPart);
  const more = changed.length - listed.length;
  const last = more > 0 ? `${more} more` : listed.pop();
  return listed.length === 0 ? `${last}` : `${listed.join(", ")} and ${last}`;
}

function printPart({ part, name }: CallPart): string {
  const named = name === null ? "" : ` ${visible(redactText(name).text)}`;
  switch (part) {
    case "input":
      return "its input";
    case "tool":
      return "the definition of the tool";
    case "folder":
      return "the folder it starts in";
    case "access":
      return "its access by config and profiles";
    case "home":
      return `the file${named} of its HOME`;
    case "program":
    case "file":
    case "root":
    case "variable":
      return `the ${part}${named}`;
  }
}

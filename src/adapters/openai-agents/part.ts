import type { FrameworkCall } from "../framework-calls.ts";
import type { AskedItem, RawItem, RunAnswers } from "./answers.ts";
import type { GatedCalls } from "./gated-calls.ts";

/** Key of our part in a tool of the SDK. */
export const PART: unique symbol = Symbol("cofferdam");

/** Our part of a tool of the SDK: maps its calls to ours. */
export interface SdkToolPart {
  readonly gated: GatedCalls;
  /** Empty if none could be made: the call itself reports the reason. */
  callsOf(item: RawItem): Promise<readonly FrameworkCall[]>;
  /** Records that an item was asked about, perhaps by another process. */
  note(item: AskedItem, answers: RunAnswers): void;
}

/** The part of an SDK tool that holds our part. */
export interface HasPart {
  /** @internal */
  readonly [PART]: SdkToolPart;
}

/** Our part in a tool; null for other tools. */
export function partOf(tool: object): SdkToolPart | null {
  const holder = "shell" in tool ? tool.shell : "editor" in tool ? tool.editor : tool;
  return hasPart(holder) ? holder[PART] : null;
}

function hasPart(holder: unknown): holder is HasPart {
  return typeof holder === "object" && holder !== null && PART in holder;
}

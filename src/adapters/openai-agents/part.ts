import type { FrameworkCall } from "../framework-calls.ts";
import type { Answers, AskedItem, RawItem } from "./answers.ts";
import type { GatedCalls } from "./gated-calls.ts";

/** Where a tool of the SDK keeps what is ours in it. */
export const PART: unique symbol = Symbol("cofferdam");

/** What is ours in a tool of the SDK: which of our calls one of its calls stands for. */
export interface Part {
  readonly gated: GatedCalls;
  /** None where it could not be made: the call itself says why. */
  callsOf(item: RawItem): Promise<readonly FrameworkCall[]>;
  /** Keeps in mind that an item was asked about, perhaps by another process. */
  note(item: AskedItem, answers: Answers): void;
}

/** Something that a tool of the SDK is made of, and in which a part of ours is. */
export interface HasPart {
  readonly [PART]: Part;
}

/** What is ours in a tool; null for anybody else's. */
export function partOf(tool: object): Part | null {
  const holder = "shell" in tool ? tool.shell : "editor" in tool ? tool.editor : tool;
  return hasPart(holder) ? holder[PART] : null;
}

function hasPart(holder: unknown): holder is HasPart {
  return typeof holder === "object" && holder !== null && PART in holder;
}

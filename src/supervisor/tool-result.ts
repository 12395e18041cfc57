import {
  toolResult as resultOfFunction,
  type ToolOutcome,
  type ToolResult,
} from "../approval/tool-outcome.ts";
import { CofferdamError, thrownText } from "../errors.ts";
import type { Captured } from "../host/output.ts";
import type { Denial } from "./denial.ts";
import type { Outcome, ProgramOutcome, Ran } from "./outcome.ts";

/** What a model is told of a program: its status, what it said, and what the walls may have kept from it. */
export interface ProgramResult {
  readonly status: number;
  readonly timed_out: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** So many bytes of output are left out between the start and the end of it that are told. */
  readonly dropped_bytes: number;
  /** The limits that all its processes together ran against, and processor time where its status says that it ran out. */
  readonly limits_reached: readonly ("memory" | "processes" | "cpu")[];
  readonly denials: readonly Denial[];
}

/**
 * What became of a call of any tool, as a model is told it. A denial is no error: the model reads why, what would have to be
 * changed, and goes on. A program that ended with another status than 0 is told like one that did not.
 */
export function toolResult(outcome: Outcome | ToolOutcome): ToolResult {
  return isProgram(outcome) ? { type: "success", output: resultOfProgram(outcome) } : resultOf(outcome);
}

function resultOf(outcome: Exclude<Outcome | ToolOutcome, Extract<ProgramOutcome, Ran>>): ToolResult {
  switch (outcome.kind) {
    case "not-found":
      return { type: "error", error: `Error: ${outcome.reason}. ${outcome.hint}` };
    case "denied":
      return { type: "denied", output: [`Denied: ${outcome.reason}`, ...remediesOf(outcome)].join("\n") };
    case "failed":
      return { type: "error", error: `Error: ${errorText(outcome.error)}` };
    case "done":
    case "pending":
      return resultOfFunction(outcome);
  }
}

/** Limits as a config names them. */
const REACHED = { memoryBytes: "memory", processes: "processes", cpuSeconds: "cpu" } as const;

function isProgram(outcome: Outcome | ToolOutcome): outcome is Extract<ProgramOutcome, Ran> {
  return "stdout" in outcome;
}

function resultOfProgram(outcome: Extract<ProgramOutcome, Ran>): ProgramResult {
  const { kind, code, stdout, stderr, receipt } = outcome;
  return {
    status: code,
    timed_out: kind === "timed-out",
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    dropped_bytes: droppedFrom(stdout) + droppedFrom(stderr),
    limits_reached: receipt.limitsReached.map((one) => REACHED[one]),
    denials: outcome.denials ?? [],
  };
}

/** The start and the end of a stream, with a mark where something is left out. */
function textOf(stream: Captured): string {
  const dropped = droppedFrom(stream);
  const mark = dropped === 0 ? "" : `\n[${dropped} bytes left out]\n`;
  return `${stream.bytes.toString()}${mark}${stream.tail.toString()}`;
}

function droppedFrom({ droppedBytes, tail }: Captured): number {
  return droppedBytes - tail.length;
}

function remediesOf(outcome: Extract<Outcome | ToolOutcome, { readonly kind: "denied" }>): readonly string[] {
  const denials = "denials" in outcome ? (outcome.denials ?? []) : [];
  return denials.map(({ remedy }) => `What would help: ${remedy}`);
}

function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  const hint =
    error instanceof CofferdamError && error.hint !== undefined ? `. What to do: ${error.hint}` : "";
  return `${thrownText(error)}${hint}`;
}

import {
  toolResult as resultOfFunction,
  type ToolOutcome,
  type ToolResult,
} from "../approval/tool-outcome.ts";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Captured } from "../host/output.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import { printObeyed } from "../profile/executed.ts";
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
  /** What it made and hosts execute, and what was taken away for that; left out where nothing was. */
  readonly quarantined?: readonly QuarantinedFile[];
}

/** A file that is not where it was made any more. */
export interface QuarantinedFile {
  readonly path: string;
  readonly because: string;
}

/** So many are told. */
const MAX_QUARANTINED = 20;

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
      return withQuarantined(resultOfFunction(outcome), outcome);
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
    ...quarantinedOf(outcome),
  };
}

/** A file tool wrote what is not there any more: its answer alone would say that it is. */
function withQuarantined(result: ToolResult, outcome: Outcome | ToolOutcome): ToolResult {
  const { quarantined } = quarantinedOf(outcome);
  if (quarantined === undefined || result.type !== "success") return result;
  const { output } = result;
  const isParts = typeof output === "object" && output !== null && !Array.isArray(output);
  return { ...result, output: isParts ? { ...output, quarantined } : { output, quarantined } };
}

/** The same in words, a line for each file; null where nothing was taken away. */
export function quarantinedText(outcome: Outcome): string | null {
  const { quarantined } = quarantinedOf(outcome);
  return (
    quarantined?.map(({ path, because }) => `${visible(path)} was taken away: ${because}\n`).join("") ?? null
  );
}

function quarantinedOf(outcome: Outcome | ToolOutcome): Pick<ProgramResult, "quarantined"> {
  const receipt = "receipt" in outcome ? outcome.receipt : null;
  const found = receipt?.appeared.found.filter(({ fate }) => fate.kind === "quarantined") ?? [];
  if (found.length === 0) return {};
  const told = found.slice(0, MAX_QUARANTINED).map(({ path, obeyedBy, fate }) => {
    const what = `it is ${obeyedBy === null ? "obeyed by other programs" : printObeyed(obeyedBy)}`;
    const why = fate.kind === "quarantined" && fate.because !== null ? `, and ${fate.because}` : "";
    return { path: spelledOut(path), because: `${what}${why}; a person can give it back` };
  });
  return { quarantined: told };
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

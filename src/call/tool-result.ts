import {
  toolResult as resultOfFunction,
  type ToolOutcome,
  type ToolResult,
} from "../approval/tool-outcome.ts";
import type { Outcome, ProgramOutcome, Ran } from "../decide/outcome.ts";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Captured } from "../host/launch/output.ts";
import type { Denial } from "../policy/denial.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import { printObeyed } from "../profile/executed.ts";

/** A program's result for a model: its status, its output, and acts that the sandbox may have denied. */
export interface ProgramResult {
  readonly status: number;
  readonly timed_out: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes of output left out between the start and the end shown here. */
  readonly dropped_bytes: number;
  /** The limits that all its processes reached together, and CPU time if its status shows that. */
  readonly limits_reached: readonly ("memory" | "processes" | "cpu")[];
  readonly denials: readonly Denial[];
  /** Files it made that hosts execute and that were taken away for that; left out if there are none. */
  readonly quarantined?: readonly QuarantinedFile[];
}

/** A file that is no longer where it was made. */
export interface QuarantinedFile {
  readonly path: string;
  readonly because: string;
}

const MAX_QUARANTINED = 20;

/**
 * The outcome of a call of any tool, for a model. A denial is no error: the model reads the reason and the needed
 * change, and continues. A program with another status than 0 is reported like one with status 0.
 */
export function toolResult(outcome: Outcome | ToolOutcome): ToolResult {
  return "stdout" in outcome ? { type: "success", output: resultOfProgram(outcome) } : resultOf(outcome);
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

const REACHED = { memoryBytes: "memory", processes: "processes", cpuSeconds: "cpu" } as const;

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

/** If a file that a tool wrote is gone, its answer alone would claim that it exists. */
function withQuarantined(result: ToolResult, outcome: Outcome | ToolOutcome): ToolResult {
  const { quarantined } = quarantinedOf(outcome);
  if (quarantined === undefined || result.type !== "success") return result;
  const { output } = result;
  const isParts = typeof output === "object" && output !== null && !Array.isArray(output);
  return { ...result, output: isParts ? { ...output, quarantined } : { output, quarantined } };
}

/** The quarantined files in words, one per line; null if there are none. */
export function quarantinedText(outcome: Outcome): string | null {
  const { quarantined } = quarantinedOf(outcome);
  return (
    quarantined?.map(({ path, because }) => `${visible(path)} was quarantined: ${because}\n`).join("") ?? null
  );
}

function quarantinedOf(outcome: Outcome | ToolOutcome): Pick<ProgramResult, "quarantined"> {
  const receipt = "receipt" in outcome ? outcome.receipt : null;
  const found = receipt?.appeared.found.filter(({ fate }) => fate.kind === "quarantined") ?? [];
  if (found.length === 0) return {};
  const listed = found.slice(0, MAX_QUARANTINED).map(({ path, obeyedBy, fate }) => {
    const what = `it is ${obeyedBy === null ? "obeyed by other programs" : printObeyed(obeyedBy)}`;
    const why = fate.kind === "quarantined" && fate.because !== null ? `, and ${fate.because}` : "";
    return { path: spelledOut(path), because: `${what}${why}; a person can restore it` };
  });
  return { quarantined: listed };
}

function textOf(stream: Captured): string {
  const dropped = droppedFrom(stream);
  const mark = dropped === 0 ? "" : `\n[${dropped} bytes dropped]\n`;
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

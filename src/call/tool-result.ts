import type { ToolOutcome, ToolResult } from "../approval/tool-outcome.ts";
import type { Outcome, ProgramOutcome, Ran } from "../decide/outcome.ts";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Captured } from "../host/launch/output.ts";
import { answerText, type HasAnswer } from "../policy/call-answer.ts";
import type { Denial } from "../policy/denial.ts";
import { DENIALS } from "../policy/denied-by.ts";
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
  return "stdout" in outcome
    ? { type: "success", output: resultOfProgram(outcome), ...answerOf(outcome) }
    : resultOf(outcome);
}

function resultOf(outcome: Exclude<Outcome | ToolOutcome, Extract<ProgramOutcome, Ran>>): ToolResult {
  switch (outcome.kind) {
    case "done":
      return { type: "success", output: withQuarantined(outcome), ...answerOf(outcome) };
    case "not-found":
      return { type: "error", error: told(`Error: ${outcome.reason}`, outcome) };
    case "failed":
      return { type: "error", error: told(`Error: ${errorText(outcome.error)}`, outcome) };
    case "denied":
      return { type: "denied", output: told(`Denied: ${outcome.reason}`, outcome) };
    case "pending":
      return { type: "pending", reason: outcome.reason, approvalId: outcome.approvalId };
  }
}

/** A result as one text for a model. `shown` prints the output of a success. */
export function resultText(result: ToolResult, shown: (output: unknown) => string): string {
  switch (result.type) {
    case "success":
      return [...(result.answer === undefined ? [] : [result.answer]), shown(result.output)].join("\n");
    case "denied":
      return result.output;
    case "error":
      return result.error;
    case "pending":
      return `Pending: ${result.reason}. Nothing has run: it waits for the answer of a person to request ${result.approvalId}.`;
  }
}

/** Advice for a model about a call that did not run; empty if there is none. */
export function adviceText(outcome: Outcome | ToolOutcome): string {
  if (outcome.kind === "denied" && outcome.advice !== undefined) return helpText(outcome.advice);
  if (outcome.kind === "denied" && outcome.deniedBy !== undefined)
    return helpText(DENIALS[outcome.deniedBy].advice);
  if ("error" in outcome) return helpText(hintOf(outcome.error));
  if (outcome.kind !== "denied" && outcome.kind !== "not-found") return "";
  const denials = "denials" in outcome ? (outcome.denials ?? []) : [];
  const remedies = denials.length === 0 ? [outcome.hint] : denials.map(({ remedy }) => remedy);
  const known = [...new Set(remedies)].map(helpText).filter((line) => line !== "");
  return known.length === 0 ? "" : [...known, ONLY_USER].join("\n");
}

function helpText(hint: string): string {
  return hint === "" ? "" : `What would help: ${hint}`;
}

const ONLY_USER =
  "Only the user can change the config or run `cofferdam`: ask them. Repeating the same call does not help before that.";

/** A text about a call without a result: what happened, what an approval changed, and what would help. */
function told(what: string, outcome: Outcome | ToolOutcome): string {
  const { answer } = answerOf(outcome);
  return [what, answer ?? "", adviceText(outcome)].filter((line) => line !== "").join("\n");
}

/** The words of a call's approval, as a part of its result. */
function answerOf(outcome: Outcome | ToolOutcome | HasAnswer): { readonly answer?: string } {
  const answer = "answer" in outcome ? outcome.answer : undefined;
  return answer === undefined ? {} : { answer: answerText(answer) };
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
function withQuarantined(outcome: Extract<ToolOutcome, { readonly kind: "done" }>): unknown {
  const { quarantined } = quarantinedOf(outcome);
  const { value: output } = outcome;
  if (quarantined === undefined) return output;
  const isParts = typeof output === "object" && output !== null && !Array.isArray(output);
  return isParts ? { ...output, quarantined } : { output, quarantined };
}

/** The quarantined files in words, one per line; null if there are none. */
export function quarantinedText(outcome: Outcome): string | null {
  const { quarantined } = quarantinedOf(outcome);
  return (
    quarantined?.map(({ path, because }) => `${visible(path)} was quarantined: ${because}\n`).join("") ?? null
  );
}

/** The lines for a model beside a program's output: of its approval, and on quarantined files. Null if there are none. */
export function besideOutput(outcome: Outcome): string | null {
  const { answer } = answerOf(outcome);
  const texts = [answer === undefined ? null : `${answer}\n`, quarantinedText(outcome)];
  return texts.some((text) => text !== null) ? texts.join("") : null;
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

function errorText(error: unknown): string {
  return typeof error === "string" ? error : thrownText(error);
}

function hintOf(error: unknown): string {
  return (error instanceof CofferdamError ? error.hint : undefined) ?? "";
}

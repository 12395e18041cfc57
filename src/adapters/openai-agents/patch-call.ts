import { type ApplyPatchOperation, applyDiff } from "@openai/agents";
import { z } from "zod";
import { thrownText } from "../../errors.ts";
import type { Outcome } from "../../supervisor/outcome.ts";
import { MOST_FILE_BYTES } from "../../tool/files/input.ts";
import type { FrameworkCall } from "../framework-calls.ts";
import { told } from "./gated-calls.ts";

/** The call of a tool on files that a patch comes to, or why there is none, as a model reads it. */
export type Planned =
  | { readonly kind: "call"; readonly call: FrameworkCall }
  | { readonly kind: "stopped"; readonly reason: string };

/**
 * So many comparisons of two lines a patch may take, which the SDK makes without letting anything else happen: each line of the
 * diff is looked for at each line of the file. Long lines take longer.
 */
const MOST_STEPS = 20_000_000;
const CHARS_OF_A_STEP = 64;

type Run = (call: FrameworkCall) => Promise<Outcome>;

/**
 * The one call that a patch comes to. Of a file that is changed the whole text is read, by our tool, and all of it is what the
 * edit replaces: a file that is another by then is left as it is.
 */
export async function planned(operation: ApplyPatchOperation, callId: string, run: Run): Promise<Planned> {
  const call = (tool: string, input: unknown): Planned => ({
    kind: "call",
    call: { tool, input, toolCallId: callId },
  });
  const { path } = operation;
  if (operation.type === "delete_file") return call("delete_file", { path });
  const { diff } = operation;
  if (operation.type === "create_file") {
    const content = patched("", diff, "create");
    return typeof content === "string" ? call("write_file", { path, content }) : content;
  }
  if (operation.moveTo !== undefined)
    return diff.trim() === ""
      ? call("move_file", { from: path, to: operation.moveTo })
      : stopped(
          "a patch does not change a file and move it at once. Move it by a patch without a diff, then patch it",
        );
  const before = await wholeText(path, callId, run);
  if (typeof before !== "string") return before;
  const after = patched(before, diff, "default");
  if (typeof after !== "string") return after;
  return before === ""
    ? call("write_file", { path, content: after })
    : call("edit_file", { path, edits: [{ old_text: before, new_text: after }] });
}

/** What of its file a patch has to read; null where that is nothing. */
export function readOf(operation: ApplyPatchOperation, callId: string): FrameworkCall | null {
  return operation.type === "update_file" && operation.moveTo === undefined
    ? reading(operation.path, callId, 1)
    : null;
}

function reading(path: string, callId: string, first: number): FrameworkCall {
  return { tool: "read_file", input: { path, first_line: first }, toolCallId: `${callId}/read` };
}

const Text = z.object({
  kind: z.literal("text"),
  text: z.string(),
  lines: z.number(),
  size: z.number(),
  is_end: z.boolean(),
  is_line_cut: z.boolean(),
});

/** All of a text, as our tool reads it, part by part. */
async function wholeText(path: string, callId: string, run: Run): Promise<string | Planned> {
  let text = "";
  for (let first = 1; ; ) {
    const outcome = await run(reading(path, callId, first));
    if (outcome.kind !== "done" || !("value" in outcome)) return { kind: "stopped", reason: told(outcome) };
    const part = Text.safeParse(outcome.value).data;
    if (part === undefined) return stopped("this is no text: change it by a command");
    if (part.is_line_cut || part.size > MOST_FILE_BYTES)
      return stopped("this is too large for a patch: change it by a command");
    text += part.text;
    first += part.lines;
    if (part.is_end) return text;
  }
}

function patched(before: string, diff: string, mode: "create" | "default"): string | Planned {
  if (stepsOf(before, diff) > MOST_STEPS)
    return stopped(
      "this patch has too much context for a file of this length. Give fewer lines around what changes, or change it by a command",
    );
  try {
    return applyDiff(before, diff, mode);
  } catch (error) {
    return stopped(thrownText(error));
  }
}

function stepsOf(before: string, diff: string): number {
  return linesOf(before) * (linesOf(diff) + diff.length / CHARS_OF_A_STEP);
}

function linesOf(of: string): number {
  let lines = 1;
  for (let at = of.indexOf("\n"); at !== -1; at = of.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function stopped(reason: string): Planned {
  return { kind: "stopped", reason: `Error: ${reason}` };
}

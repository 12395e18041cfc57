import { type ApplyPatchOperation, applyDiff } from "@openai/agents";
import { z } from "zod";
import type { Outcome } from "../../decide/outcome.ts";
import { thrownText } from "../../errors.ts";
import { MAX_FILE_BYTES } from "../../tool/files/input.ts";
import type { FrameworkCall } from "../framework-calls.ts";
import { outcomeText } from "./gated-calls.ts";

/** The call of a file tool for a patch, or the reason why there is none, for a model. */
export type Planned =
  | { readonly kind: "call"; readonly call: FrameworkCall }
  | { readonly kind: "stopped"; readonly reason: string };

/** Maximum of line comparisons: the SDK compares each line of a diff with each of the file, without yielding. */
const MAX_STEPS = 20_000_000;
const CHARS_OF_A_STEP = 64;

type Run = (call: FrameworkCall) => Promise<Outcome>;

/** The one call of a patch: it replaces a file's whole text, and touches no file that has changed since. */
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
          "a patch can't change a file and move it at once. Move it with a patch without a diff, then patch it",
        );
  const before = await wholeText(path, callId, run);
  if (typeof before !== "string") return before;
  const after = patched(before, diff, "default");
  if (typeof after !== "string") return after;
  return before === ""
    ? call("write_file", { path, content: after })
    : call("edit_file", { path, edits: [{ old_text: before, new_text: after }] });
}

/** The read that a patch needs of its file, or null. */
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

/** The whole text of a file, read by our tool part by part. */
async function wholeText(path: string, callId: string, run: Run): Promise<string | Planned> {
  let text = "";
  for (let first = 1; ; ) {
    const outcome = await run(reading(path, callId, first));
    if (outcome.kind !== "done" || !("value" in outcome))
      return { kind: "stopped", reason: outcomeText(outcome) };
    const part = Text.safeParse(outcome.value).data;
    if (part === undefined) return stopped("the file is not a text: change it with a command");
    if (part.is_line_cut || part.size > MAX_FILE_BYTES)
      return stopped("the file is too large for a patch: change it with a command");
    text += part.text;
    first += part.lines;
    if (part.is_end) return text;
  }
}

function patched(before: string, diff: string, mode: "create" | "default"): string | Planned {
  if (linesOf(before) * (linesOf(diff) + diff.length / CHARS_OF_A_STEP) > MAX_STEPS)
    return stopped(
      "the patch has too much context for a file of this length. Use fewer context lines, or change the file with a command",
    );
  try {
    return applyDiff(before, diff, mode);
  } catch (error) {
    return stopped(thrownText(error));
  }
}

function linesOf(of: string): number {
  let lines = 1;
  for (let at = of.indexOf("\n"); at !== -1; at = of.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function stopped(reason: string): Planned {
  return { kind: "stopped", reason: `Error: ${reason}` };
}

import type { RunToolApprovalItem } from "@openai/agents";
import type { CheckResult } from "../../policy/not-run.ts";
import type { ApprovalRequest } from "../../policy/request.ts";
import type { FrameworkCall } from "../framework-calls.ts";
import { noteTo, type RunAnswers, saidToItem } from "./answers.ts";
import { BY, outcomeText } from "./gated-calls.ts";
import { partOf, type SdkToolPart } from "./part.ts";

/** The used part of an interrupted run: a `RunState`, in the process that began it or in any other. */
export interface InterruptedRun {
  getInterruptions(): readonly RunToolApprovalItem[];
  reject(item: RunToolApprovalItem, options?: { message?: string }): void;
  /** The SDK's own field: nothing else holds the answers so far. */
  readonly _context: RunAnswers;
}

/** An unanswered item and its requests: the action, and the rule that needs approval. */
export interface OpenItem {
  readonly item: RunToolApprovalItem;
  readonly requests: readonly ApprovalRequest[];
}

/**
 * Merges the answers in a run with those given elsewhere, before the run continues. An answer of the run's person is
 * recorded as `by`'s, so that nothing stays open. A rejection elsewhere, or by timeout, is passed to the run. An
 * approval elsewhere needs nothing: the run continues with it. Returns the unanswered items.
 */
export async function settle(run: InterruptedRun, by = BY): Promise<readonly OpenItem[]> {
  const open: OpenItem[] = [];
  for (const item of run.getInterruptions()) {
    const part = partOfItem(item);
    if (part === null) continue;
    part.note(item, run._context);
    const calls = await part.callsOf(item.rawItem);
    const said = saidToItem(run._context, item);
    switch (said) {
      case "no": {
        const note = noteTo(run._context, item);
        for (const call of calls) await part.gated.refuse(call, note, by);
        break;
      }
      case "yes":
      case "always":
        for (const call of calls) await part.gated.approve(call, said, by);
        break;
      case null: {
        const stand = await standOf(part, calls);
        if (stand.kind === "open") open.push({ item, requests: stand.requests });
        else if (stand.kind === "denied") {
          run.reject(item, { message: outcomeText(stand) });
          for (const call of calls) await part.gated.dismiss(call, stand.reason);
        }
      }
    }
  }
  return open;
}

function partOfItem({ rawItem, agent }: RunToolApprovalItem): SdkToolPart | null {
  for (const tool of agent.tools) {
    const isIt =
      rawItem.type === "function_call"
        ? tool.type === "function" && tool.name === rawItem.name
        : `${tool.type}_call` === rawItem.type;
    const part = isIt ? partOf(tool) : null;
    if (part !== null) return part;
  }
  return null;
}

type Stand =
  | { readonly kind: "open"; readonly requests: readonly ApprovalRequest[] }
  | Extract<CheckResult, { readonly kind: "denied" }>
  | { readonly kind: "answered" };

/** The state of an item's calls that were not answered in the run. */
async function standOf(part: SdkToolPart, calls: readonly FrameworkCall[]): Promise<Stand> {
  const requests: ApprovalRequest[] = [];
  for (const call of calls) {
    const found = await part.gated.check(call, true);
    if (found.kind === "denied") return found;
    const request = found.kind === "pending" ? await part.gated.request(found.approvalId) : null;
    if (request !== null) requests.push(request);
  }
  return calls.length > 0 && requests.length === 0 ? { kind: "answered" } : { kind: "open", requests };
}

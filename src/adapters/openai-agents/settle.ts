import type { RunToolApprovalItem } from "@openai/agents";
import type { ApprovalRequest } from "../../policy/request.ts";
import type { FrameworkCall } from "../framework-calls.ts";
import { type Answers, noteTo, saidToItem } from "./answers.ts";
import { BY } from "./gated-calls.ts";
import { type Part, partOf } from "./part.ts";

/** What there is to know of a run that was interrupted: a `RunState`, in the process that began it or in any other. */
export interface InterruptedRun {
  getInterruptions(): readonly RunToolApprovalItem[];
  reject(item: RunToolApprovalItem, options?: { message?: string }): void;
  /** The SDK's own field: nothing else tells what was said so far. */
  readonly _context: Answers;
}

/** What is still to be answered, with what is asked: what would be done, and which rule wants a yes. */
export interface OpenItem {
  readonly item: RunToolApprovalItem;
  readonly requests: readonly ApprovalRequest[];
}

/**
 * Brings together what was answered in the run and what was answered elsewhere, before the run goes on: a yes or a no of the
 * run's person is written down as `by`'s, so that nothing stays open, and a no from elsewhere, or one by silence, is told to
 * the run. A yes from elsewhere needs nothing: the run goes on by it. Returns what nobody has answered.
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
          run.reject(item, { message: `Denied: ${stand.reason}` });
          for (const call of calls) await part.gated.putAway(call, stand.reason);
        }
      }
    }
  }
  return open;
}

/** What is ours in the tool that an item is about. */
function partOfItem({ rawItem, agent }: RunToolApprovalItem): Part | null {
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
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "answered" };

/** How it stands with the calls of an item that nobody answered in the run. */
async function standOf(part: Part, calls: readonly FrameworkCall[]): Promise<Stand> {
  const requests: ApprovalRequest[] = [];
  for (const call of calls) {
    const found = await part.gated.clearance(call, true);
    if (found.kind === "denied") return { kind: "denied", reason: found.reason };
    const request = found.kind === "pending" ? await part.gated.request(found.approvalId) : null;
    if (request !== null) requests.push(request);
  }
  return calls.length > 0 && requests.length === 0 ? { kind: "answered" } : { kind: "open", requests };
}

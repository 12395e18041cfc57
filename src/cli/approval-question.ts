import { quote } from "../shell/quote.ts";
import type { Approval } from "../supervisor/approval.ts";
import type { Standing } from "../supervisor/prepare.ts";
import type { ApprovalRequest } from "../supervisor/session.ts";
import { columns, indented } from "./columns.ts";
import type { Ink } from "./ink.ts";
import { askOnTerminal } from "./terminal.ts";
import { grantRows } from "./verdict-text.ts";

/** What a person is shown before they answer, without the prompt. */
export function questionLines(request: ApprovalRequest, standing: Standing, ink: Ink): readonly string[] {
  const rows = [
    ["command", quote(request.words)],
    ["in", request.cwd],
    ["because", request.reason],
    ...grantRows(standing, request.onYes),
  ];
  return [`${ink.warn("cofferdam:")} this command needs your yes`, ...indented(columns(rows, [ink.dim]))];
}

/** Asks the person at the terminal about one call. Without a terminal the answer is no, and says so. */
export async function approveOnTerminal(
  request: ApprovalRequest,
  standing: Standing,
  ink: Ink,
  person: string,
  signal: AbortSignal | null,
): Promise<Approval> {
  const question = questionLines(request, standing, ink).join("\n");
  const answer = await askOnTerminal(`${question}\n`, "run it?", signal);
  if (answer !== null) return { approved: answer, by: person };
  return { approved: false, by: "nobody", reason: `${request.reason}, and there is no terminal to ask on` };
}

import type { Answer } from "../approval/handler.ts";
import { columns, indented } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import { askOnTerminal } from "../channel/yes-or-no.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { grantRows } from "./verdict-text.ts";

/** What a person is shown before they answer, without the prompt. */
export function questionLines(request: ApprovalRequest, ink: Ink): readonly string[] {
  const rows = [
    ["command", request.description],
    ["because", request.reason],
    ...(request.granted === null ? [] : grantRows(request.granted)),
  ];
  return [`${ink.warn("cofferdam:")} this command needs your yes`, ...indented(columns(rows, [ink.dim]))];
}

/** Asks the person at the terminal about one call. Without a terminal the answer is no, and says so. */
export async function approveOnTerminal(
  request: ApprovalRequest,
  ink: Ink,
  person: string,
  signal: AbortSignal | null,
): Promise<Answer> {
  const question = questionLines(request, ink).join("\n");
  const answer = await askOnTerminal(`${question}\n`, "run it?", signal);
  if (answer !== null) return { approved: answer, by: person };
  return { approved: false, by: "nobody", note: `${request.reason}, and there is no terminal to ask on` };
}

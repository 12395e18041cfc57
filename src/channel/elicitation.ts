import { rejected } from "../approval/factories.ts";
import type { Answer, ApprovalHandler } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import {
  type ElicitationForm,
  elicitationForm,
  MAX_NOTE_LENGTH,
  YES,
  YES_FOR_SESSION,
} from "./elicitation-form.ts";
import { lookWithin } from "./look.ts";
import { decisionOf } from "./scope-pages.ts";

/** Maximum wait for the preview, in milliseconds. After that the form shows the arguments. */
export const LOOK_MS = 5_000;

/** An MCP client's `ElicitResult` (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation). */
export interface ElicitationResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The recorded answerer of the forms, and the function that shows them. */
export interface ElicitationOptions {
  /** The answerer as the journal names it: the client, because only the client knows its user. */
  readonly by: string;
  /** Shows a form to the person at the client. Ends when the signal does; rejects if the client cannot be asked. */
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationResult>;
}

/**
 * Asks the user of an MCP client with a form. Only an approval that the form offered counts, and the form must hold the
 * whole request. A form returned unchanged or dismissed is a rejection. Throws `CHANNEL_CLOSED` if the client cannot be
 * asked.
 */
export function elicitationHandler({ by, elicit }: ElicitationOptions): ApprovalHandler {
  return {
    async requestApproval(request, asking) {
      const look = await lookWithin(asking, LOOK_MS);
      const form = elicitationForm(request, look, Date.now());
      const result = await elicit(form, asking.signal).catch((cause: unknown) => {
        throw new CofferdamError("CHANNEL_CLOSED", "the MCP client could not be asked", { cause });
      });
      return answerOf(result, form, by);
    },
  };
}

/** The answer in a returned form. */
export function answerOf(
  { action, content = {} }: ElicitationResult,
  { offers }: Pick<ElicitationForm, "offers">,
  by: string,
): Answer {
  const note = typeof content["note"] === "string" ? content["note"].slice(0, MAX_NOTE_LENGTH).trim() : "";
  const said = note === "" ? {} : { note };
  if (action === "cancel") return rejected(by, "the form was closed without an answer");
  const { answer } = content;
  if (action === "accept" && offers.once && answer === YES)
    return { status: "approved", scope: "once", by, ...said };
  if (action === "accept" && offers.session && answer === YES_FOR_SESSION)
    return { status: "approved", scope: "session", by, ...said };
  const choice = action === "accept" ? offers.choices.find(({ label }) => label === answer) : undefined;
  if (choice !== undefined) return { ...decisionOf(choice, by), ...said };
  return { status: "rejected", by, ...said };
}

import { rejected } from "../approval/factories.ts";
import type { Answer, ApprovalHandler } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import {
  type ElicitationForm,
  elicitationForm,
  MOST_OF_A_NOTE,
  YES,
  YES_FOR_SESSION,
} from "./elicitation-form.ts";
import { lookWithin } from "./look.ts";

/** What there is to look at is waited for so long, in milliseconds; then the arguments have to do. */
export const LOOK_MS = 5_000;

/**
 * What an MCP client brings back of a form: what somebody filled in, or that they would not, or looked away
 * (`ElicitResult`, https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation).
 */
export interface ElicitationResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Who is asked by forms, and how these get there. */
export interface ElicitationOptions {
  /** Who answers, as the record names them: the client, for it alone knows its user. */
  readonly by: string;
  /** Brings a form to the person at the client. Ends when the signal does; rejects where the client can't be asked. */
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationResult>;
}

/**
 * Asks whoever sits at an MCP client, by a form. A yes is what the form offered and nothing else: all that is asked has to
 * fit into it, and a form that is sent back as it came, or put away, is a no. Throws `CHANNEL_CLOSED` where the client can't
 * be asked.
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

/** What a form that came back means. */
export function answerOf(
  { action, content = {} }: ElicitationResult,
  { offers }: Pick<ElicitationForm, "offers">,
  by: string,
): Answer {
  const note = typeof content["note"] === "string" ? content["note"].slice(0, MOST_OF_A_NOTE).trim() : "";
  const said = note === "" ? {} : { note };
  if (action === "cancel") return rejected(by, "the question was put away without an answer");
  const { answer } = content;
  if (action === "accept" && offers.once && answer === YES)
    return { status: "approved", scope: "once", by, ...said };
  if (action === "accept" && offers.session && answer === YES_FOR_SESSION)
    return { status: "approved", scope: "session", by, ...said };
  return { status: "rejected", by, ...said };
}

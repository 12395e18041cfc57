import { isShownWhole } from "../policy/redactions.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { manyLines, oneLine } from "./foreign-text.ts";
import { PLAIN } from "./ink.ts";
import {
  askedFields,
  contentField,
  type Field,
  type Look,
  leftOutFields,
  reachFields,
} from "./request-text.ts";
import { type Line, plain, styledText, unitsOf } from "./styled-text.ts";
import { timeLeft } from "./time-left.ts";

/** The answers of a form, as they are written on it. */
export const YES = "yes, once";
export const YES_FOR_SESSION = "yes, for this session";
export const NO = "no";

/** More than this nobody reads in a form, in UTF-16 units: it can be answered where there is room for it. */
const MOST_UNITS = 16_384;
/** Where not all fits, so much is shown of a text in one row. */
const MOST_OF_A_ROW = 120;
/** A note of what somebody meant, in UTF-16 units. */
export const MOST_OF_A_NOTE = 2_000;

/**
 * A form as MCP clients draw it: a text, and fields of plain kinds
 * (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema). `offers` are the answers on
 * it besides no.
 */
export interface ElicitationForm {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: {
      readonly answer: {
        readonly type: "string";
        readonly title: string;
        readonly enum: string[];
      };
      readonly note: {
        readonly type: "string";
        readonly title: string;
        readonly maxLength: number;
      };
    };
    readonly required: string[];
  };
  readonly offers: { readonly once: boolean; readonly session: boolean };
}

/**
 * The form that asks about a request. Words of ours stand at the beginning of each row, what comes from a tool or a model
 * behind a label of ours or behind a bar, made visible: whatever it says, it can't look like ours. Where not all that is
 * asked fits, no yes is offered. No answer is filled in beforehand.
 */
export function elicitationForm(request: ApprovalRequest, look: Look, now: number): ElicitationForm {
  const fields = [
    ...askedFields(request, look),
    contentField(request, look, PLAIN),
    ...leftOutFields(request),
    ...reachFields(request),
  ];
  const whole = drawn(fields, MOST_UNITS);
  const covers = request.covers === null ? null : drawn([coversField(request.covers)], MOST_UNITS);
  const time = timeLines(request, now);
  const once = whole !== null && unitsOf([HEADLINE, ...whole, ...time]) <= MOST_UNITS;
  const all = [HEADLINE, ...(whole ?? []), ...(covers ?? []), ...time];
  const session = once && covers !== null && isShownWhole(request.redactions) && unitsOf(all) <= MOST_UNITS;
  const lines = session ? all : once ? [HEADLINE, ...whole, ...time] : cut(request, look, time);
  return {
    message: styledText(lines).text,
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "May it run?",
          enum: [...(once ? [YES] : []), ...(session ? [YES_FOR_SESSION] : []), NO],
        },
        note: { type: "string", title: "Why, if you want to say so", maxLength: MOST_OF_A_NOTE },
      },
      required: ["answer"],
    },
    offers: { once, session },
  };
}

const HEADLINE: Line = [plain("cofferdam asks: this call needs your yes")];
const NOT_HERE: Line = [
  plain("Yes is not offered: this is too long to be shown here. It can be answered where it is shown whole."),
];

function coversField(text: string): Field {
  return { label: "for this session, yes covers", text, manner: "lines" };
}

/** Every field, none cut; null where they take more than so many units. */
function drawn(fields: readonly Field[], most: number): readonly Line[] | null {
  const lines: Line[] = [];
  let left = most;
  for (const { label, text, manner } of fields) {
    // What has more characters than there is room for need not be drawn to know that.
    if (text.length > left) return null;
    const shown = manner === "line" ? oneLine(label, text, left) : manyLines(label, text, left, "");
    if (!shown.isWhole) return null;
    left -= unitsOf(shown.lines);
    lines.push(...shown.lines);
  }
  return lines;
}

/** As much of each field as a row holds: enough to know which call it is. */
function cut(request: ApprovalRequest, look: Look, time: readonly Line[]): readonly Line[] {
  const fields = [...askedFields(request, look), ...reachFields(request)];
  const rows = fields.flatMap(({ label, text }) => oneLine(label, text, MOST_OF_A_ROW).lines);
  return [HEADLINE, ...rows, NOT_HERE, ...time];
}

function timeLines({ expiresAt }: ApprovalRequest, now: number): readonly Line[] {
  if (expiresAt === null) return [];
  return [[plain(`time left: ${timeLeft(expiresAt, now)}`)]];
}

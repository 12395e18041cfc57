import { isShownWhole } from "../policy/redactions.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ScopeChoice } from "../policy/scope-choices.ts";
import { manyLines, oneLine } from "./foreign-text.ts";
import { PLAIN } from "./ink.ts";
import {
  askedFields,
  contentField,
  type Field,
  leftOutFields,
  offerFields,
  type PreviewState,
  reachFields,
  TOO_LONG_HERE,
} from "./request-text.ts";
import { fewChoices } from "./scope-pages.ts";
import { plain, type StyledLine, styledText, unitsOf } from "./styled-text.ts";
import { timeLeft } from "./time-left.ts";

/** The answers of a form, as written on it. */
export const YES = "yes, once";
export const YES_FOR_SESSION = "yes, for this session";
export const NO = "no";

/** Maximum of UTF-16 units in a form: people do not read more there. A longer request can be answered elsewhere. */
const MAX_UNITS = 16_384;
/** Maximum length of a text in one row if the whole form does not fit. */
const MAX_ROW_LENGTH = 120;
/** Maximum length of a person's note, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 2_000;

/**
 * A form as MCP clients draw it: a text, and fields of plain types
 * (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema). `offers` lists its
 * answers besides no.
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
  readonly offers: {
    readonly once: boolean;
    readonly session: boolean;
    readonly choices: readonly ScopeChoice[];
  };
}

/**
 * The form that asks about a request. Our words begin each row. Text from a tool or a model is made visible and follows
 * a label or a bar of ours, so it cannot imitate ours. A form that cannot hold the whole request offers no approval. No
 * answer is filled in beforehand.
 */
export function elicitationForm(request: ApprovalRequest, look: PreviewState, now: number): ElicitationForm {
  const fields = [
    ...askedFields(request, look),
    contentField(request, look, PLAIN),
    ...leftOutFields(request),
    ...reachFields(request),
  ];
  const whole = drawn(fields, MAX_UNITS);
  const covers = request.covers === null ? null : drawn([coversField(request.covers)], MAX_UNITS);
  const time = timeLines(request, now);
  const once = whole !== null && unitsOf([HEADLINE, ...whole, ...time]) <= MAX_UNITS;
  const all = [HEADLINE, ...(whole ?? []), ...(covers ?? []), ...time];
  const session = once && covers !== null && isShownWhole(request.redactions) && unitsOf(all) <= MAX_UNITS;
  const offered = session ? drawn(offerFields(request), MAX_UNITS) : null;
  const choices = offered !== null && unitsOf([...all, ...offered]) <= MAX_UNITS ? fewChoices(request) : [];
  const lines =
    choices.length > 0
      ? [...all, ...(offered ?? [])]
      : session
        ? all
        : once
          ? [HEADLINE, ...whole, ...time]
          : cut(request, look, time);
  return {
    message: styledText(lines).text,
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Approve this call?",
          enum: [
            ...(once ? [YES] : []),
            ...(session ? [YES_FOR_SESSION] : []),
            ...choices.map(({ label }) => label),
            NO,
          ],
        },
        note: { type: "string", title: "Reason (optional)", maxLength: MAX_NOTE_LENGTH },
      },
      required: ["answer"],
    },
    offers: { once, session, choices },
  };
}

const HEADLINE: StyledLine = [plain("cofferdam asks: this call needs your approval")];

function coversField(text: string): Field {
  return { label: "approval for this session covers", text, manner: "lines" };
}

/** All fields, none cut; null if they take more than `max` units. */
function drawn(fields: readonly Field[], max: number): readonly StyledLine[] | null {
  const lines: StyledLine[] = [];
  let left = max;
  for (const { label, text, manner } of fields) {
    // A text with more characters than there is room for need not be drawn.
    if (text.length > left) return null;
    const shown = manner === "line" ? oneLine(label, text, left) : manyLines(label, text, left, "");
    if (!shown.isWhole) return null;
    left -= unitsOf(shown.lines);
    lines.push(...shown.lines);
  }
  return lines;
}

function cut(
  request: ApprovalRequest,
  look: PreviewState,
  time: readonly StyledLine[],
): readonly StyledLine[] {
  const fields = [...askedFields(request, look), ...reachFields(request)];
  const rows = fields.flatMap(({ label, text }) => oneLine(label, text, MAX_ROW_LENGTH).lines);
  return [HEADLINE, ...rows, [plain(TOO_LONG_HERE)], ...time];
}

function timeLines({ expiresAt }: ApprovalRequest, now: number): readonly StyledLine[] {
  if (expiresAt === null) return [];
  return [[plain(`time left: ${timeLeft(expiresAt, now)}`)]];
}

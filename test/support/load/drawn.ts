import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApprovalHandler } from "../../../src/approval/handler.ts";
import { elicitationForm } from "../../../src/channel/elicitation-form.ts";
import { highlightedLines } from "../../../src/channel/highlighted-lines.ts";
import { PLAIN } from "../../../src/channel/ink.ts";
import { Pager } from "../../../src/channel/pager.ts";
import { questionText } from "../../../src/channel/question-text.ts";
import { type PreviewState, viewFields, whyFields } from "../../../src/channel/request-text.ts";
import { questionMessage } from "../../../src/channel/telegram/question-message.ts";

const SIZE = { columns: 100, rows: 40 } as const;

/** Somebody who has a question drawn in every way that there is, each in a turn of its own, and says no. */
export const DRAWING: ApprovalHandler = {
  async requestApproval(request, asking) {
    const presentation = await asking.present();
    await nextTurn();
    const look: PreviewState = {
      kind: "made",
      presentation,
      highlighted: await highlightedLines(presentation),
    };
    const asked = { request, look, isSeen: false };
    const ways: readonly (() => unknown)[] = [
      () => questionText([asked], asked, SIZE, 0, PLAIN),
      () => questionText([asked, { ...asked }], asked, { ...SIZE, rows: 400 }, 0, PLAIN),
      () => new Pager("all of it", viewFields(request, look, PLAIN), PLAIN).rows(SIZE),
      () => new Pager("why", whyFields(request), PLAIN).rows(SIZE),
      () => elicitationForm(request, look, 0),
      () => questionMessage(request, look, 0),
      () => JSON.stringify({ request, presentation }),
    ];
    for (const draw of ways) {
      await nextTurn();
      draw();
    }
    return { approved: false };
  },
};

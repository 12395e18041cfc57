import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { AGENT_SESSIONS } from "../support/sessions/all.ts";
import { type PlayedSession, type PlayedStep, playSession } from "../support/sessions/play.ts";

sandboxMustWork("sessions of agents");

const STEPS = 30;
/** At most one question in ten steps. */
const MAX_QUESTIONS = STEPS / 10;
const TIMEOUT_MS = 600_000;

describe.skipIf(unusable !== null).each(AGENT_SESSIONS)(
  "under the config that `init` writes: $name",
  (session) => {
    test("at most one question in ten steps, each about something that a yes changes; what publishes, removes folders or runs a download among them is asked about by the rules that `init` writes", {
      timeout: TIMEOUT_MS,
    }, async () => {
      const played = await playSession(session);
      const ordinary = played.steps.filter(({ danger }) => danger === null);
      const dangerous = played.steps.filter(({ danger }) => danger !== null);
      report(session.name, { ...played, steps: ordinary });
      expect(ordinary).toHaveLength(STEPS);
      expect(failures(ordinary)).toEqual([]);
      expect(played.left).toMatchObject({ status: 0 });
      expect(
        ordinary.flatMap(({ asked }) => asked.filter((request) => isPointless(request, played)).map(inWords)),
      ).toEqual([]);
      expect(questions(ordinary).map(inWords).slice(MAX_QUESTIONS)).toEqual([]);
      expect(dangerous.map(verdictOf)).toEqual(
        session.dangerous
          .toSorted((a, b) => a.after - b.after)
          .map(
            ({ script, rule }) => `${rule === null ? "fails in the sandbox" : `asked by ${rule}`}: ${script}`,
          ),
      );
    });
  },
);

function questions(steps: readonly PlayedStep[]): readonly ApprovalRequest[] {
  return steps.flatMap(({ asked }) => asked);
}

/** True if a yes gives the call nothing that it lacks, and no rule of the config names it. */
function isPointless({ granted, why }: ApprovalRequest, { unasked, strictRules }: PlayedSession): boolean {
  const changes = granted !== null && granted.digest !== unasked;
  const isNamed = why.some(({ action, rule }) => action === "ask" && strictRules.includes(rule));
  return !changes && !isNamed;
}

function failures(steps: readonly PlayedStep[]): readonly string[] {
  return steps.flatMap(({ step, failure }) =>
    failure === null ? [] : [`${JSON.stringify(step.input)}: ${failure}`],
  );
}

/** The end of a dangerous step in words: the rule that asked about it, or a failure without a question. */
function verdictOf({ danger, asked, failure }: PlayedStep): string {
  const by = asked.flatMap(({ why }) => why.filter(({ action }) => action === "ask").map(({ rule }) => rule));
  const wanted = danger?.rule ?? null;
  const asks = wanted !== null && by.includes(wanted) ? wanted : by.join(", ");
  const is = failure === null ? "runs" : asks === "" ? "fails in the sandbox" : `asked by ${asks}`;
  return `${is}: ${danger?.script}`;
}

function inWords({ description, reason }: ApprovalRequest): string {
  return `${description}: ${reason}`;
}

/** The count is what a reader of a run wants to see, also when all is well. */
function report(name: string, { steps, standIns }: PlayedSession): void {
  const stood =
    standIns.length === 0 ? "" : `; not installed here, a script stood in: ${standIns.join(", ")}`;
  console.info(`${name}: ${questions(steps).length} questions in ${steps.length} steps${stood}`);
}

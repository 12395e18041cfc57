import { limitLayer } from "../../../src/backend/limits.ts";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { denialFor } from "../../../src/decide/denial.ts";
import { stayAnswer } from "../../../src/decide/stays.ts";
import { explain, type Layer, type ProfileQuestion } from "../../../src/profile/explain.ts";
import { type AbsolutePath, parentOf } from "../../../src/profile/path.ts";
import type { Judged, Scene } from "./judge.ts";
import type { Probe } from "./probe.ts";

/** What `explain` says about one act, beside what the kernel did. */
export interface Answered {
  readonly judged: Judged;
  readonly ask: "read" | "write" | "create" | "remove" | "rename";
  readonly allowed: boolean;
  readonly isAgreed: boolean;
}

/**
 * Every act that a question can be asked about, with the answer of the layers and the plan, as `explain` gives it. Left
 * out are what file modes refuse, what happens in a private place, and names that a placeholder stands at.
 */
export function answersIn(
  { tree, profile, plan }: Scene,
  judged: readonly Judged[],
  told: Pick<MountPlan, "limits" | "fixed"> = plan,
): readonly Answered[] {
  const own: Layer = { name: "config", profile, sources: new Map() };
  const layers = [own, limitLayer(told.limits)] as const;
  return judged.flatMap((one): readonly Answered[] => {
    const { probe, kernel, verdict } = one;
    if (kernel === "private" || verdict === "dac" || probe.via !== null) return [];
    const ask = askOf(probe);
    if (ask === null || plan.placeholders.some(({ path }) => path === probe.path)) return [];
    const questions = questionsOf(probe, tree.byPath.get(probe.path)?.kind);
    const isDenied = questions.some((question) => !explain(layers, question).allowed);
    const stay = ask === "remove" || ask === "rename" ? stayAnswer(told, layers, probe.path, ask) : null;
    // A folder that holds something is not removed by rmdir(2) either way: what it holds is asked about by itself.
    if (!isDenied && ask === "remove" && stay !== null && !told.fixed.includes(probe.path)) return [];
    const allowed = !isDenied && stay === null;
    return [
      {
        judged: one,
        ask,
        allowed,
        isAgreed: allowed === (kernel === "allowed") && isTold(layers, questions),
      },
    ];
  });
}

/** A denial is told exactly where a question about it is answered with no. */
function isTold(layers: readonly [Layer, ...Layer[]], questions: readonly ProfileQuestion[]): boolean {
  return questions.every((question) => {
    if (question.ask !== "read" && question.ask !== "write") return true;
    const denial = denialFor(layers, { ...question, ask: question.ask }, "certain");
    const { allowed, decidedBy } = explain(layers, question);
    return allowed ? denial === null : denial?.because.startsWith(decidedBy.because) === true;
  });
}

function askOf({ op, ...probe }: Probe): Answered["ask"] | null {
  switch (op) {
    case "read":
    case "write":
    case "create":
    case "remove":
      return op;
    case "rename":
      return "to" in probe && parentOf(probe.to) === parentOf(probe.path) ? op : null;
    default:
      return null;
  }
}

function questionsOf(probe: Probe, kind: "file" | "folder" | "link" | undefined): readonly ProfileQuestion[] {
  const { path } = probe;
  // The name of a link is asked about: a glob that hides what it leads to does not hide the name. See `explain`.
  const facts = { kind: kind === "folder" ? "folder" : "file", bornInside: kind === "link" } as const;
  switch (probe.op) {
    case "create":
      return [
        {
          ask: "write",
          path,
          facts: { kind: probe.what === "folder" ? "folder" : "file", bornInside: true },
        },
        { ask: "write", path: parentOf(path), facts: { kind: "folder", bornInside: false } },
      ];
    case "remove":
    case "rename":
      return [{ ask: probe.op, path, facts }, ...toQuestions(probe)];
    default:
      return [{ ask: probe.op === "read" ? "read" : "write", path, facts }];
  }
}

/** The new name must be one that may be made. */
function toQuestions(probe: Probe): readonly ProfileQuestion[] {
  const to: AbsolutePath | null = probe.op === "rename" ? probe.to : null;
  return to === null ? [] : [{ ask: "write", path: to, facts: { kind: "file", bornInside: true } }];
}

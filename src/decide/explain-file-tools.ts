import type { Access } from "../profile/access.ts";
import type { Kind, PathFacts } from "../profile/access-to.ts";
import type { Explanation, Layer, ProfileQuestion } from "../profile/explain.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { FileWork, Needs } from "../tool/derive.ts";
import type { CallPolicy } from "./call-policy.ts";
import { type CallExplanation, ceilingUnder, layersOf } from "./explain.ts";
import { explainLayers } from "./explain-layers.ts";
import type { Prepared } from "./prepare.ts";

/** The question whether file tools have an access to a path. */
export interface FileQuestion {
  readonly ask: Exclude<Access, "none">;
  readonly path: AbsolutePath;
  readonly facts: PathFacts;
}

/** Masks with wildcards hold for missing paths too: file tools know each name before they create it. */
export function fileQuestion(ask: Exclude<Access, "none">, path: AbsolutePath, kind: Kind): FileQuestion {
  return { ask, path, facts: { kind, bornInside: false } };
}

/** The layers whose intersection file tools get. */
export function fileLayers(
  { settings, ceiling, files }: CallPolicy,
  work: FileWork,
  side: keyof Needs,
): readonly [Layer, ...Layer[]] {
  return layersOf(settings, ceiling, files[work].needs[side]);
}

/** Explains a question about a path for file tools, from the layers that deny their calls; null for other questions. */
export function explainFileTools(
  policy: CallPolicy,
  run: Pick<Prepared["withApproval"], "rendering"> | null,
  question: ProfileQuestion,
): Pick<CallExplanation, "unasked" | "onYes"> | null {
  if (question.ask !== "read" && question.ask !== "write") return null;
  const within = run === null ? policy : { ...policy, ceiling: ceilingUnder(policy, run) };
  const asked = fileQuestion(question.ask, question.path, question.facts.kind);
  const answer = (side: keyof Needs): Explanation =>
    explainLayers(fileLayers(within, question.ask === "read" ? "reading" : "writing", side), asked);
  return { unasked: answer("withoutApproval"), onYes: answer("withApproval") };
}

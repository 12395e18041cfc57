import { printPosition, visible } from "../errors.ts";
import {
  type Explanation,
  explain,
  type Layer,
  type LayerAnswer,
  type Question,
} from "../profile/explain.ts";
import { REPOSITORY_LAYER } from "./standing.ts";

/** What the walls did not let happen, why, and what would change that, in words for a model and a person. */
export interface Denial {
  readonly operation: "read" | "write" | "connect";
  /** A path or a host. */
  readonly target: string;
  /** `certain`: the policy was asked, or the backend told. `likely`: it fits how the call failed. */
  readonly certainty: "certain" | "likely";
  /** The entry or mask that decided, and where it stands. */
  readonly because: string;
  readonly remedy: string;
}

/** A denial by the clause that decided it; null where the layers allow it. */
export function denialFor(
  layers: readonly [Layer, ...Layer[]],
  question: Extract<Question, { readonly ask: "read" | "write" | "connect" }>,
  certainty: Denial["certainty"],
): Denial | null {
  const explanation = explain(layers, question);
  if (explanation.allowed) return null;
  const { decidedBy } = explanation;
  const target =
    question.ask === "connect" ? `${question.target.host}:${question.target.port}` : question.path;
  return {
    operation: question.ask,
    target,
    certainty,
    because: `${decidedBy.because} (${placeOf(decidedBy)})`,
    remedy: remedyFor(explanation, question.ask, isBySuffix(layers, question)),
  };
}

function placeOf({ layer, at }: LayerAnswer): string {
  return at === null ? layer : `${layer}, ${printPosition(at)}`;
}

/** Whether it is the name's ending that keeps it from being read: a folder of that name could be. */
function isBySuffix(layers: readonly [Layer, ...Layer[]], question: Question): boolean {
  if (question.ask !== "read" && question.ask !== "write") return false;
  const canRead = (kind: "file" | "folder"): boolean =>
    explain(layers, { ...question, ask: "read", facts: { ...question.facts, kind } }).allowed;
  return question.facts.kind === "file" && !canRead("file") && canRead("folder");
}

/** What a person would have to change: a model can't. */
function remedyFor({ decidedBy }: Explanation, operation: Denial["operation"], isBySuffix: boolean): string {
  if (decidedBy.layer === REPOSITORY_LAYER)
    return "git obeys it outside as well: change it yourself, outside of the walls, if it is meant";
  if (decidedBy.layer !== "config")
    return `only whoever keeps the profile ${visible(decidedBy.layer)} can allow it; do it without`;
  if (operation === "connect") return "list the host under `shell.network` in the config, if it is meant";
  if (isBySuffix)
    return "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant";
  return operation === "write"
    ? "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant"
    : "list the folder under `sandbox.paths` in the config, if it is meant";
}

import { type Explanation, explain, type Layer, type ProfileQuestion } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";

/**
 * Explains a question by the layers of a call, as `explain` does. If the config denies, and another profile too, the
 * other one decides: a change of the config would not help.
 */
export function explainLayers(layers: readonly [Layer, ...Layer[]], question: ProfileQuestion): Explanation {
  const explanation = explain(layers, question);
  const { allowed, decidedBy } = explanation;
  if (allowed || decidedBy.layer !== "config" || decidedBy.remedy !== undefined) return explanation;
  const other = explanation.layers.find(
    (one) => !one.allowed && one.layer !== "config" && one.layer !== LIMIT_LAYER,
  );
  return other === undefined ? explanation : { ...explanation, decidedBy: other };
}

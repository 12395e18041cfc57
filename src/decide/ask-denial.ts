import { printPosition, visible } from "../errors.ts";
import type { Mode } from "../policy/action.ts";
import type { Denial } from "../policy/denial.ts";
import type { Layer } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { deriveShellNeeds } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import type { CallPolicy } from "./call-policy.ts";
import { type DeniableQuestion, denialFor } from "./denial.ts";
import { layersOf } from "./explain.ts";

/** Asks the layers of a call about one act. Returns the denial by the deciding clause, null if the act is allowed. */
export type AskDenial = (question: DeniableQuestion, certainty: Denial["certainty"]) => Denial | null;

/** Builds the `AskDenial` of a call. `isTool`: a tool of the host's own, which may need less than the config grants. */
export function askDenial(
  { needs, settings, config, ceiling, mode }: CallPolicy,
  { isApproved, isTool }: { readonly isApproved: boolean; readonly isTool: boolean },
): AskDenial {
  const layers = layersOf(settings, ceiling, isApproved ? needs.withApproval : needs.withoutApproval);
  // The limits come from the plan that ran: another plan has its own.
  const others = { ...ceiling, layers: ceiling.layers.filter(({ name }) => name !== LIMIT_LAYER) };
  const given = layersOf(settings, others, isApproved ? needs.withApproval : needs.withoutApproval);
  const afterYes = layersOf(settings, others, needs.withApproval);
  const whole = { ...settings, roots: config.roots, shell: config.shell, sandbox: config.sandbox };
  const beforeNeeds = isTool ? layersOf(whole, others, deriveShellNeeds(whole).withApproval) : null;
  return (question, certainty) => {
    const denial = denialFor(layers, question, certainty, settings.whyNoRoot);
    const isByLimit = denial !== null && denialFor(given, question, certainty) === null;
    return isByLimit
      ? denial
      : remedied(denial, question, { afterYes, beforeNeeds, roots: settings.roots, mode });
  };
}

interface Otherwise {
  readonly afterYes: readonly [Layer, ...Layer[]];
  /** The layers of the whole config, for a tool that may need less than that; null for the shell. */
  readonly beforeNeeds: readonly [Layer, ...Layer[]] | null;
  readonly roots: readonly Root[];
  readonly mode: Mode;
}

/** Replaces the remedy where an approval would have granted it, or where only the tool did not ask for it. */
function remedied(
  denial: Denial | null,
  question: DeniableQuestion,
  { afterYes, beforeNeeds, roots, mode }: Otherwise,
): Denial | null {
  if (denial === null) return null;
  const isGivenBy = (layers: readonly [Layer, ...Layer[]]): boolean =>
    denialFor(layers, question, denial.certainty) === null;
  if (isGivenBy(afterYes)) {
    const because = question.ask === "read" ? hiddenRoot(question.path, roots) : null;
    if (mode === "strict")
      return {
        ...denial,
        because: because ?? denial.because,
        remedy: "this needs approval, which the mode `strict` always rejects",
      };
    const remedy = "repeat this very call: a person is then asked, and approval allows it";
    return { ...denial, because: because ?? denial.because, remedy, askable: true };
  }
  return beforeNeeds !== null && isGivenBy(beforeNeeds)
    ? { ...denial, remedy: "add it to the tool's `needs`: the config grants it" }
    : denial;
}

/** Without approval such a root has no entry in the profile, so no clause names it. */
function hiddenRoot(path: AbsolutePath, roots: readonly Root[]): string | null {
  const root = roots.find((one) => one.readApproval && isInside(path, one.path));
  if (root === undefined) return null;
  const at = root.at === null ? "" : `, ${printPosition(root.at)}`;
  return `reading ${visible(root.path)} needs approval (config${at})`;
}

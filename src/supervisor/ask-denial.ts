import { printPosition, visible } from "../errors.ts";
import type { Layer } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { deriveShellNeeds } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import { type DeniableQuestion, type Denial, denialFor } from "./denial.ts";
import { layersOf } from "./explain.ts";
import type { Standing } from "./standing.ts";

/** Asks the layers of a call about one act: a denial by the clause that decided it, null where it is allowed. */
export type AskDenial = (question: DeniableQuestion, certainty: Denial["certainty"]) => Denial | null;

/**
 * Asks what a call was given. `isByYes`: it had what a yes gives. `isTool`: it is a tool of the host's own, which may need less
 * than the config grants.
 */
export function askDenial(
  { needs, settings, config, ceiling }: Standing,
  { isByYes, isTool }: { readonly isByYes: boolean; readonly isTool: boolean },
): AskDenial {
  const layers = layersOf(settings, ceiling, isByYes ? needs.onYes : needs.unasked);
  // The limits are those of the plan that ran: another one has its own.
  const others = { ...ceiling, layers: ceiling.layers.filter(({ name }) => name !== LIMIT_LAYER) };
  const given = layersOf(settings, others, isByYes ? needs.onYes : needs.unasked);
  const afterYes = layersOf(settings, others, needs.onYes);
  // A tool of the host's own may have been given less than the config grants.
  const whole = { ...settings, roots: config.roots, shell: config.shell, sandbox: config.sandbox };
  const beforeNeeds = isTool ? layersOf(whole, others, deriveShellNeeds(whole).onYes) : null;
  return (question, certainty) => {
    const denial = denialFor(layers, question, certainty);
    const isByLimit = denial !== null && denialFor(given, question, certainty) === null;
    return isByLimit ? denial : remedied(denial, question, { afterYes, beforeNeeds, roots: settings.roots });
  };
}

/** What would have been given otherwise. */
interface Otherwise {
  readonly afterYes: readonly [Layer, ...Layer[]];
  /** The layers of the whole config, for a tool that may need less than that; null for the shell. */
  readonly beforeNeeds: readonly [Layer, ...Layer[]] | null;
  readonly roots: readonly Root[];
}

/** What a yes would have given, or the tool did not ask for, is not for the config to change. */
function remedied(
  denial: Denial | null,
  question: DeniableQuestion,
  { afterYes, beforeNeeds, roots }: Otherwise,
): Denial | null {
  if (denial === null) return null;
  const isGivenBy = (layers: readonly [Layer, ...Layer[]]): boolean =>
    denialFor(layers, question, denial.certainty) === null;
  if (isGivenBy(afterYes)) {
    const because = question.ask === "read" ? hiddenRoot(question.path, roots) : null;
    const remedy = "it is given after a yes: have a person asked about this call";
    return { ...denial, because: because ?? denial.because, remedy };
  }
  return beforeNeeds !== null && isGivenBy(beforeNeeds)
    ? { ...denial, remedy: "say in the tool's `needs` that it needs this: the config grants it" }
    : denial;
}

/** Without a yes such a root is no entry at all, so no clause names it. */
function hiddenRoot(path: AbsolutePath, roots: readonly Root[]): string | null {
  const root = roots.find((one) => one.readApproval && isInside(path, one.path));
  if (root === undefined) return null;
  const at = root.at === null ? "" : `, ${printPosition(root.at)}`;
  return `${visible(root.path)} is read after a yes (config${at})`;
}

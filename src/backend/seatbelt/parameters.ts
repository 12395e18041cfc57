import type { SbplRule, Section, Text } from "./sbpl.ts";
import { withTexts } from "./sbpl.ts";
import { isSpellable } from "./translate.ts";

/** Sections in which every path can be spelled, and what their parameters stand for. */
export interface Parametrised {
  readonly sections: readonly Section[];
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Puts a parameter in the place of each path that is not printable ASCII: the launcher is given those as arguments, in
 * UTF-8. What they are called follows from their order alone.
 */
export function parametrise(sections: readonly Section[]): Parametrised {
  const names = new Map<string, string>();
  const change = (text: Text, kind: string): Text => {
    if (typeof text !== "string" || isSpellable(text) || (kind !== "literal" && kind !== "subpath"))
      return text;
    const param = names.get(text) ?? `PATH${names.size + 1}`;
    names.set(text, param);
    return { param };
  };
  const changed = (rule: SbplRule): SbplRule =>
    rule.filter === null ? rule : { ...rule, filter: withTexts(rule.filter, change) };
  return {
    sections: sections.map(({ about, rules }) => ({ about, rules: rules.map(changed) })),
    parameters: Object.fromEntries([...names].map(([text, param]) => [param, text])),
  };
}

import type { SbplRule, SbplText, Section } from "./sbpl.ts";
import { withTexts } from "./sbpl.ts";
import { isSpellable } from "./translate.ts";

/** Sections in which every path can be spelled, and the values of their parameters. */
export interface Parametrised {
  readonly sections: readonly Section[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** Replaces each path that is no printable ASCII by a parameter in UTF-8, named by order alone. */
export function parametrise(sections: readonly Section[]): Parametrised {
  const names = new Map<string, string>();
  const change = (text: SbplText, kind: string): SbplText => {
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

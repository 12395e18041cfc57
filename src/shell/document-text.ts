import type { HereDoc, Word } from "unbash";
import { hereDocEffect } from "./redirect.ts";

/**
 * The text of `"$(cat <<'EOF' … EOF)"`, by which a command gets a long plain text; null for any other word. That the
 * program `cat` gives it is for the rules on `cat`, which is a command of the line too.
 */
export function documentText(word: Word): string | null {
  const document = documentOf(word);
  if (document === null || document.delimiter?.quoted !== true || document.operator !== "<<") return null;
  return hereDocEffect(document).doubt === null ? document.body.text.replace(/\n+$/u, "") : null;
}

function documentOf({ parts = [] }: Word): HereDoc | null {
  const [only, ...more] = parts;
  const [inner, ...others] = only?.type === "DoubleQuoted" ? only.parts : [];
  if (more.length > 0 || others.length > 0 || inner?.type !== "CommandExpansion") return null;
  if (!inner.text.startsWith("$(cat <<")) return null;
  const [statement, ...further] = inner.script?.commands ?? [];
  const command = statement?.command;
  if (further.length > 0 || statement?.background === true || command?.type !== "Command") return null;
  const [redirect, ...rest] = command.suffix;
  const isCat = command.name?.text === "cat" && command.prefix.length === 0 && rest.length === 0;
  return isCat && redirect?.type === "HereDoc" ? redirect : null;
}

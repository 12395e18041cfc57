import { forEachChild, type HereDoc, type Redirect, type SyntaxNode } from "unbash";
import { isOpaque, textOf, withLinesJoined } from "./word.ts";

/** A file that keeps nothing and holds nothing. */
const NOWHERE = "/dev/null";
/** Far more than any descriptor, and less than where bash takes digits for a word (`2147483648>x`). */
const LARGEST_DESCRIPTOR = 999_999_999;

/**
 * Why a node of a line keeps the line from being understood, as `it has a substitution`; null for one of the closed list
 * of those whose meaning is plain.
 */
export function doubtAbout(node: SyntaxNode): string | null {
  switch (node.type) {
    case "Script":
    case "Statement":
    case "AndOr":
    case "Pipeline":
    case "Time":
    case "Negation":
    case "Literal":
    case "SingleQuoted":
    case "DoubleQuoted":
    case "AnsiCQuoted":
    case "Glob":
    case "FileDescriptor":
    case "Subshell":
      return beginsTwice(node) ? "it begins with `((`, which bash may take for a calculation" : null;
    case "BraceGroup":
    case "CompoundList":
    case "Redirected":
      return null;
    case "Word":
      return textOf(node).isKnown && !mayNameDescriptor(node.text)
        ? null
        : "a word of it is known to bash alone";
    case "Command":
      return node.name === undefined ? "it has a part without a command" : null;
    case "Redirect":
      return opensNothing(node) ? null : "it redirects from or to a file";
    case "HereString":
      return node.target !== undefined && isStatic(node.target) && isDescriptor(node.descriptor)
        ? null
        : "its here-string is known to bash alone";
    case "HereDoc":
      return isPlainText(node) ? null : "its here-document is not plain text";
    case "HereDocDelimiter":
    case "HereDocBody":
      return null;
    case "CommandExpansion":
    case "ProcessSubstitution":
      return "it has a substitution";
    case "SimpleExpansion":
    case "ParameterExpansion":
      return "it uses a variable";
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return "it calculates";
    case "Assignment":
      return "it sets a variable";
    case "Function":
      return "it defines a function";
    default:
      return "it has more than plain commands, lists and pipes";
  }
}

/**
 * True for what bash may take for the variable of a redirect behind it, where the parser sees a word: of `{a['$(x)']}>&2`
 * it calculates the index, substitutions in quotes and all (bash 5.2, parse.y, `REDIR_WORD`).
 */
function mayNameDescriptor(written: string): boolean {
  const text = withLinesJoined(written);
  return text.startsWith("{") && text.endsWith("}") && text.slice(1, -1).includes("[");
}

/**
 * True for `((`: bash takes it for a calculation first and, where it is none, reads the text once more, by then without
 * its here-documents, so that what stands in them is run.
 */
function beginsTwice(outer: SyntaxNode): boolean {
  let isSo = false;
  const visit = (node: SyntaxNode): void => {
    if (node.pos !== outer.pos + 1) return;
    if (node.type === "Subshell") isSo = true;
    else forEachChild(node, visit);
  };
  forEachChild(outer, visit);
  return isSo;
}

function isStatic(word: Parameters<typeof textOf>[0]): boolean {
  const { text, isKnown } = textOf(word);
  return isKnown && !isOpaque(text);
}

/** `>/dev/null`, `</dev/null` and the like, or `2>&1`. */
function opensNothing({ operator, descriptor, target }: Redirect): boolean {
  if (target === undefined || !isDescriptor(descriptor)) return false;
  if (operator === ">&" || operator === "<&") return /^(\d|-|\d-)$/u.test(target.text);
  return isStatic(target) && textOf(target).text === NOWHERE;
}

/** True without a descriptor, or with one that bash takes for it too. */
function isDescriptor(descriptor: Redirect["descriptor"]): boolean {
  if (descriptor === undefined) return true;
  return descriptor.type !== "FileDescriptorVariable" && descriptor.value <= LARGEST_DESCRIPTOR;
}

/** A document that bash expands nothing in, and whose end two readers can't see in two places. */
function isPlainText({ delimiter, body, closing, descriptor }: HereDoc): boolean {
  if (delimiter === undefined || closing === undefined || !isDescriptor(descriptor)) return false;
  if (!/^\w+$/u.test(delimiter.value) || !/^(\w+|'\w+'|"\w+")$/u.test(delimiter.text)) return false;
  return delimiter.quoted || !/[$`\\]/u.test(body.text);
}

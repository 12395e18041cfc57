import { forEachChild, type HereDoc, type Redirect, type SyntaxNode } from "unbash";
import { isOpaque, textOf, withLinesJoined } from "./word.ts";

const NOWHERE = "/dev/null";
/** Above any descriptor, and below the numbers that bash takes for a word (`2147483648>x`). */
const LARGEST_DESCRIPTOR = 999_999_999;

/**
 * The reason why a node is not understood, such as `it has a substitution`; null for the nodes with a plain meaning.
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
      return beginsTwice(node) ? "it begins with `((`, which bash may treat as arithmetic" : null;
    case "BraceGroup":
    case "CompoundList":
    case "Redirected":
      return null;
    case "Word":
      return textOf(node).isKnown && !mayNameDescriptor(node.text)
        ? null
        : "only bash knows the value of a word";
    case "Command":
      return node.name === undefined ? "it has a part without a command" : null;
    case "Redirect":
      return opensNothing(node) ? null : "it redirects from or to a file";
    case "HereString":
      return node.target !== undefined && isStatic(node.target) && isDescriptor(node.descriptor)
        ? null
        : "only bash knows the value of its here-string";
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
      return "it has arithmetic";
    case "Assignment":
      return "it sets a variable";
    case "Function":
      return "it defines a function";
    default:
      return "it has syntax other than plain commands, lists and pipes";
  }
}

/**
 * True for text that bash may take for the variable of a redirect after it, where the parser sees a word: with
 * `{a['$(x)']}>&2` it calculates the index, including substitutions in quotes (bash 5.2, parse.y, `REDIR_WORD`).
 */
function mayNameDescriptor(written: string): boolean {
  const text = withLinesJoined(written);
  return text.startsWith("{") && text.endsWith("}") && text.slice(1, -1).includes("[");
}

/** True for `((`: if it is no calculation, bash reads it again without here-documents, so that their content is run. */
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

/** True for `>/dev/null`, `</dev/null` and similar ones, or `2>&1`. */
function opensNothing({ operator, descriptor, target }: Redirect): boolean {
  if (target === undefined || !isDescriptor(descriptor)) return false;
  if (operator === ">&" || operator === "<&") return /^(\d|-|\d-)$/u.test(target.text);
  return isStatic(target) && textOf(target).text === NOWHERE;
}

function isDescriptor(descriptor: Redirect["descriptor"]): boolean {
  if (descriptor === undefined) return true;
  return descriptor.type !== "FileDescriptorVariable" && descriptor.value <= LARGEST_DESCRIPTOR;
}

function isPlainText({ delimiter, body, closing, descriptor }: HereDoc): boolean {
  if (delimiter === undefined || closing === undefined || !isDescriptor(descriptor)) return false;
  if (!/^\w+$/u.test(delimiter.value) || !/^(\w+|'\w+'|"\w+")$/u.test(delimiter.text)) return false;
  return delimiter.quoted || !/[$`\\]/u.test(body.text);
}

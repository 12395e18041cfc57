import { forEachChild, type SyntaxNode, type Word } from "unbash";
import { calculatedNames, isPlainParameter } from "./expansions.ts";
import { hereDocEffect, hereStringEffect, redirectEffect } from "./redirect.ts";
import { doubtful, NO_EFFECT, type ShellEffect } from "./touch.ts";
import { doubtAboutVariable } from "./variables.ts";
import { type HoldsNumber, isNumberWord, mayNameDescriptor, textOf } from "./word.ts";

/** True for an expansion that is plain text for bash: nothing in it needs to be looked at. */
export function isWholePlain(node: SyntaxNode): boolean {
  if (node.type === "ParameterExpansion") return isPlainParameter(node.text);
  return node.type === "ArithmeticExpansion" && calculatedNames(node.text) !== null;
}

/** The effect of a node of the grammar, beside that of its parts and of simple commands. */
export function effectOf(node: SyntaxNode, isNumber: HoldsNumber): ShellEffect {
  switch (node.type) {
    case "Redirect":
      return redirectEffect(node);
    case "HereString":
      return hereStringEffect(node);
    case "HereDoc":
      return hereDocEffect(node);
    case "For":
      return { doubt: doubtAbout(node, isNumber), touches: [{ act: "set", name: node.name.text }] };
    default: {
      const doubt = doubtAbout(node, isNumber);
      return doubt === null ? NO_EFFECT : doubtful(doubt);
    }
  }
}

/** The reason why a node is not understood, such as `it has arithmetic`; null for the nodes with a plain meaning. */
function doubtAbout(node: SyntaxNode, isNumber: HoldsNumber): string | null {
  switch (node.type) {
    case "Script":
    case "Statement":
    case "AndOr":
    case "Time":
    case "Negation":
    case "Literal":
    case "SingleQuoted":
    case "DoubleQuoted":
    case "AnsiCQuoted":
    case "Glob":
    case "BraceExpansion":
    case "FileDescriptor":
    case "BraceGroup":
    case "CompoundList":
    case "Redirected":
    case "Command":
    case "Assignment":
    case "HereDocDelimiter":
    case "HereDocBody":
    case "If":
    case "Elif":
    case "While":
    case "Case":
    case "CaseItem":
    case "TestCommand":
    case "TestLogical":
    case "TestNot":
    case "TestGroup":
      return null;
    case "SimpleExpansion":
      return /^\$(\w+|[?#$@*!-])$/.test(node.text) ? null : "it uses a variable";
    case "Subshell":
    case "Pipeline":
      return beginsTwice(node) ? "it begins with `((`, which bash may treat as arithmetic" : null;
    case "Word":
      return textOf(node).isKnown && !mayNameDescriptor(node.text)
        ? null
        : "only bash knows the value of a word";
    case "For":
      return doubtAboutVariable({ name: node.name.text, value: null, isExported: false });
    case "CommandExpansion":
      // `$((` may be arithmetic, and backquotes are read after the backslashes in them are removed.
      return /^\$\((?!\()/.test(node.text) && node.script !== undefined ? null : "it has a substitution";
    case "ProcessSubstitution":
      return /^[<>]\((?!\()/.test(node.text) && node.script !== undefined ? null : "it has a substitution";
    case "ParameterExpansion":
      return isPlainParameter(node.text) ? null : "it calculates with a variable";
    case "ArithmeticExpansion":
      return calculatedNames(node.text)?.every((name) => isNumber(name, node.pos)) === true
        ? null
        : "it has arithmetic";
    case "ArithmeticBinary":
    case "ArithmeticUnary":
    case "ArithmeticTernary":
    case "ArithmeticGroup":
    case "ArithmeticWord":
    case "Default":
    case "Remove":
    case "Replace":
    case "Slice":
    case "CaseModification":
    case "Transform":
    case "Names":
    case "Unknown":
      // The expansion or command around it is doubted; the parts of a plain one are not visited.
      return null;
    case "ArithmeticCommandExpansion":
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return "it has arithmetic";
    case "TestUnary":
      return /^-[abcdefghknprsuwxzGLNOS]$/.test(node.operator) ? null : "it has arithmetic";
    case "TestBinary":
      return isPlainComparison(node.operator, [node.left, node.right], isNumber) ? null : "it has arithmetic";
    case "Function":
      return "it defines a function";
    default:
      return "it has syntax other than plain commands, lists and pipes";
  }
}

/** In `[[ ]]` bash calculates what it compares as numbers: only numbers are plain. */
function isPlainComparison(operator: string, words: readonly Word[], isNumber: HoldsNumber): boolean {
  if (/^(=|==|!=|<|>|-(nt|ot|ef))$/.test(operator)) return true;
  return /^-(eq|ne|lt|le|gt|ge)$/.test(operator) && words.every((word) => isNumberWord(word, isNumber));
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

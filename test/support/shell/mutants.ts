/** One wrong reading: a text of a file of `src/shell`, and what stands there instead. */
export interface ReadingMutant {
  readonly claim: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const mutant = (claim: string, file: string, from: string, to: string): ReadingMutant => ({
  claim,
  file,
  from,
  to,
});

/** Mistakes that a reading of bash could make, one for each construct. */
export const MUTANTS: readonly ReadingMutant[] = [
  mutant(
    "takes any name for an ordinary variable",
    "variables.ts",
    "return name.split(",
    "return true || name.split(",
  ),
  mutant("sets an index", "variables.ts", "if (!/^[A-Za-z_]\\w*$/.test(name))", "if (name === '')"),
  mutant(
    "loops over any variable",
    "syntax.ts",
    "return doubtAboutVariable({ name: node.name.text, value: null, isExported: false });",
    "return null;",
  ),
  mutant(
    "takes every expansion for a plain one",
    "expansions.ts",
    "return PARAMETER.test(text);",
    "return true;",
  ),
  mutant("calculates with any variable", "expansions.ts", "if (name !== undefined) found.push(name);", ""),
  mutant("forgets how else a number is set", "numbers.ts", "if (this.#others.has(name)) return false;", ""),
  mutant("takes a later assignment for an earlier one", "numbers.ts", "from <= at && at <= to", "at <= to"),
  mutant(
    "takes an assignment of another list for one that is reached",
    "numbers.ts",
    "from <= at && at <= to",
    "from <= at",
  ),
  mutant(
    "takes an assignment in the background for one that is reached",
    "numbers.ts",
    "background === true || ",
    "",
  ),
  mutant("takes any word of `[` for one word", "builtins.ts", "isOneWord(one, isNumber)", "true"),
  mutant(
    "takes two words of `[` for an operator and its word",
    "builtins.ts",
    'return UNARY.test(first) || first === "!";',
    "return true;",
  ),
  mutant(
    "takes three words of `[` for a comparison",
    "builtins.ts",
    'return BINARY.test(second) || (first === "!" && UNARY.test(second));',
    "return true;",
  ),
  mutant(
    "lets `test` look at variables",
    "builtins.ts",
    "if (words.some((word) => /^-[vR]/.test(word))) return false;",
    "",
  ),
  mutant(
    "lets `printf` have any format",
    "builtins.ts",
    "format !== undefined && !isOpaque(format)",
    "true || !isOpaque(format)",
  ),
  mutant("lets `wait` have any words", "builtins.ts", "(/^(-n|-f|", "(true || /^(-n|-f|"),
  mutant(
    "lets `hash` have any words",
    "builtins.ts",
    '!isOpaque(word) && (word === "-r" || !word.startsWith("-"))',
    "true",
  ),
  mutant("lets `jobs` have any words", "builtins.ts", "/^(-[lnprs]+|%?\\w+)$/", "/^/"),
  mutant("lets `set` have any options", "builtins.ts", "isSetOptions(rest) ?", "true ?"),
  mutant("lets `eval` have any words", "builtins.ts", '"times", "ulimit"', '"eval", "times", "ulimit"'),
  mutant("lets `trap` have any words", "builtins.ts", '"times", "ulimit"', '"trap", "times", "ulimit"'),
  mutant(
    "takes `command` for its program",
    "builtins.ts",
    'case "command":\n      return /^-[vV]$/',
    'case "command":\n      return /^/',
  ),
  mutant(
    "forgets a change of folder",
    "builtins.ts",
    'touches: [{ act: "move", path: targetOf(name, rest) }]',
    "touches: []",
  ),
  mutant(
    "takes an unknown folder for a known one",
    "builtins.ts",
    'isCertain && name !== "popd" ? only : null',
    'only ?? "."',
  ),
  mutant(
    "forgets that a loop moves again",
    "piece-reading.ts",
    "isRepeated ? repeatedEffect(effect) : effect",
    "effect",
  ),
  mutant(
    "forgets a file that is opened",
    "redirect.ts",
    'touches: [{ act: "open", path: text, mode }]',
    "touches: []",
  ),
  mutant(
    "forgets a file that only bash knows",
    "redirect.ts",
    'touches: [{ act: "open", path: null, mode }]',
    "touches: []",
  ),
  mutant(
    "takes a written file for one that is read",
    "redirect.ts",
    'operator === "<" ? "read" : "write"',
    '"read"',
  ),
  mutant(
    "takes a word before a redirect for a word",
    "word.ts",
    'text.startsWith("{") && text.endsWith("}") && text.slice(1, -1).includes("[")',
    "false && text !== ''",
  ),
  mutant("ends a word before `<(`", "piece-reading.ts", "[<>](?!\\()", "[<>]"),
  mutant(
    "compares any words as numbers",
    "syntax.ts",
    "words.every((word) => isNumberWord(word, isNumber))",
    "true",
  ),
  mutant("looks at variables in `[[`", "syntax.ts", "/^-[abcdefghknprsuwxzGLNOS]$/", "/^/"),
  mutant(
    "takes a document with variables for plain text",
    "document-text.ts",
    "document.delimiter?.quoted !== true || ",
    "",
  ),
  mutant(
    "keeps the ends of lines of a document",
    "document-text.ts",
    'document.body.text.replace(/\\n+$/u, "")',
    "document.body.text",
  ),
  mutant(
    "takes a variable in a word for one word",
    "word.ts",
    'case "ArithmeticExpansion":\n      return { text: "", end: "split", isKnown: true };',
    'case "ArithmeticExpansion":\n      return { text: "", end: "open", isKnown: true };',
  ),
];

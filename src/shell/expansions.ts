/** The text behind the operator of `${x:-…}`: text, backslashes that change nothing, and plain variables. */
const OPERAND = String.raw`(?:[\p{L}\p{N}_ .,:;/*?!@%+=~^#\[\]\-]|\\[/.*?_:\-]|\$[A-Za-z_]\w*|\$[?#@*\d]|\$\{\w+\})*`;
const OPERATION = String.raw`(?::?[-+?]${OPERAND}|[#%^/,]${OPERAND}|: ?-?\d+(?:: ?-?\d+)?)`;
const PARAMETER = new RegExp(String.raw`^\$\{(?:(?:\w+|[@*?$])${OPERATION}?|#\w*)\}$`, "u");

/**
 * True for a `${…}` in which bash looks at nothing as code: `${x}`, `${#x}`, `${x:-text}`, `${x%.js}`, `${x//a/b}`,
 * `${x^^}`, `${x:0:7}`. Not with an index, `!`, `@`, `=` or a calculated place, which may run what a variable holds.
 */
export function isPlainParameter(text: string): boolean {
  return PARAMETER.test(text);
}

/** True for an expansion that is always a number: `$?`, `$#`, `${#x}`; `$!` may be empty. */
export function isCount(text: string): boolean {
  return /^(\$[?#$!]|\$\{#[A-Za-z_]\w*\})$/.test(text);
}

/** The variable of `$x` and `${x}`; null for any other expansion. */
export function plainName(text: string): string | null {
  return (
    /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/
      .exec(text)
      ?.slice(1)
      .find((name) => name !== undefined) ?? null
  );
}

const TOKEN = /\s+|\d+(?![\w#])|\$[?#]|\$\{#\w+\}|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|[-+*/%<>=!&|^~?:()]/y;

/**
 * The variables with which `$((…))` calculates; null if anything else than numbers, variables and operators is in it. A
 * variable is evaluated again (bash(1), ARITHMETIC EVALUATION), so that each must hold a number. With unbalanced
 * parentheses bash takes it for `$( (…) )`.
 */
export function calculatedNames(text: string): readonly string[] | null {
  if (!text.startsWith("$((") || !text.endsWith("))")) return null;
  const found: string[] = [];
  let depth = 0;
  const inner = text.slice(3, -2);
  for (let at = 0; at < inner.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(inner)?.[0];
    if (token === undefined) return null;
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth < 0) return null;
    const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(token)?.[1];
    if (name !== undefined) found.push(name);
    at += token.length;
  }
  return depth === 0 ? found : null;
}

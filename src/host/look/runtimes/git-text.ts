/** One setting as a line of a git config file, with its section before it. */
export function printSetting(name: string, value: string | null): string {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  const section = name.slice(0, first);
  const subsection = first === last ? "" : ` "${escaped(name.slice(first + 1, last))}"`;
  const key = name.slice(last + 1);
  return `[${section}${subsection}]\n\t${key}${value === null ? "" : ` = "${escaped(value)}"`}\n`;
}

/** Escapes a value or a subsection for git's quotes; neither has a line end in it. */
function escaped(text: string): string {
  return text.replace(/[\\"]/g, "\\$&");
}

/** A table of Markdown. Cells are one line each; a `|` in one is no border. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Text between backticks; nothing for an empty one. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** A page: its title, and its parts with a blank line between them. Says that it is written by a program. */
export function page(title: string, ...parts: readonly string[]): string {
  const note = "<!-- Written by `scripts/docs write` from the code. -->";
  return `${[`# ${title}`, note, ...parts].join("\n\n")}\n`;
}

function cell(text: string): string {
  return text.replaceAll("\n", " ").replaceAll("|", "\\|");
}

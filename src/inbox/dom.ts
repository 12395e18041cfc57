import { runsOf } from "./visible.ts";

/** What goes into an element: other elements, or text of ours. */
export type Child = Node | string | null;

/** What an element has besides its content. */
export interface Properties {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  /** `aria-…` and `data-…`, `role` and the like. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** An element with text and elements in it. No text is ever read as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (properties.class !== undefined) made.className = properties.class;
  if (properties.id !== undefined) made.id = properties.id;
  if (properties.title !== undefined) made.title = properties.title;
  for (const [name, value] of Object.entries(properties.attributes ?? {})) made.setAttribute(name, value);
  fill(made, ...children);
  return made;
}

/** Puts this in place of all that is in an element. */
export function fill(into: Element, ...children: readonly Child[]): void {
  into.replaceChildren(...children.filter((child) => child !== null));
}

/** Says something in an element, unless it says that already: whoever reads along is told of changes alone. */
export function say(into: Element, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** A button that does something. */
export function button(
  words: readonly Child[],
  properties: Properties,
  act: (event: MouseEvent) => void,
): HTMLButtonElement {
  const made = element("button", properties, ...words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/**
 * Text from outside as it is shown: made visible, and apart from what stands around it. `code`: in the order in which it
 * is kept, whatever its letters; `prose`: as its language is read.
 */
export function foreign(text: string, manner: "code" | "prose"): HTMLElement {
  const lines = text.split("\n").flatMap((line, index) => [...(index === 0 ? [] : ["\n"]), ...nodesOf(line)]);
  const attributes: Record<string, string> = manner === "code" ? { dir: "ltr" } : { dir: "auto" };
  return element("bdi", { class: manner, attributes }, ...lines);
}

/** One line of it. */
export function nodesOf(line: string): readonly Child[] {
  return runsOf(line).map(({ kind, text }) =>
    kind === "text" ? text : element("span", { class: kind }, text),
  );
}

/** Letters are put into it. */
export function isField(target: EventTarget | null): target is HTMLTextAreaElement | HTMLInputElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** A dialog lies over the page: nobody sees what is under it, and nothing that is pressed is for that. */
export function isCovered(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** The element of the page that has an id and is of a kind. Throws where the page is not the one that this is made for. */
export function part<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${id}`);
}

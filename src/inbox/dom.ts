import { runsOf } from "./visible.ts";

/** Children of an element: other elements, or our own text. */
export type ElementChild = Node | string | null;

/** Properties of an element besides its content. */
export interface Properties {
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  /** `aria-…` and `data-…`, `role` and the like. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** An element with text and elements in it. Text is never parsed as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: readonly ElementChild[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (properties.class !== undefined) made.className = properties.class;
  if (properties.id !== undefined) made.id = properties.id;
  if (properties.title !== undefined) made.title = properties.title;
  for (const [name, value] of Object.entries(properties.attributes ?? {})) made.setAttribute(name, value);
  fill(made, ...children);
  return made;
}

/** Replaces all content of an element. */
export function fill(into: Element, ...children: readonly ElementChild[]): void {
  into.replaceChildren(...children.filter((child) => child !== null));
}

/** Sets the text of an element if it differs. Screen readers then announce changes only. */
export function say(into: Element, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** A button with an action. */
export function button(
  words: readonly ElementChild[],
  properties: Properties,
  act: (event: MouseEvent) => void,
): HTMLButtonElement {
  const made = element("button", properties, ...words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** Foreign text, made visible and isolated. `code`: in stored order; `prose`: in the order of its language. */
export function foreign(text: string, manner: "code" | "prose"): HTMLElement {
  const lines = text.split("\n").flatMap((line, index) => [...(index === 0 ? [] : ["\n"]), ...nodesOf(line)]);
  const attributes: Record<string, string> = manner === "code" ? { dir: "ltr" } : { dir: "auto" };
  return element("bdi", { class: manner, attributes }, ...lines);
}

/** One line of foreign text. */
export function nodesOf(line: string): readonly ElementChild[] {
  return runsOf(line).map(({ kind, text }) =>
    kind === "text" ? text : element("span", { class: kind }, text),
  );
}

export function isField(target: EventTarget | null): target is HTMLTextAreaElement | HTMLInputElement {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

/** True if a dialog covers the page: the page below is hidden, and key presses are not for it. */
export function isCovered(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** The page's element with this id and type. Throws if the page does not have it. */
export function part<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`the page has no ${id}`);
}

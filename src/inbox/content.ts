import type { Presentation } from "../policy/presentation.ts";
import { button, element, foreign, nodesOf } from "./dom.ts";
import { type DrawnLine, diffLines, firstLines, GOES_ON, plainLines } from "./lines.ts";
import { type End, endOf } from "./seen.ts";
import { CONTENTS, count } from "./words.ts";

/** A block of content, and whether all of it was seen. */
export interface ShownContent {
  readonly node: HTMLElement;
  /** Seen once the whole content is shown and its end was on the screen. */
  readonly end: End;
  /** Expands content that was cut; false if there is none. */
  showAll(): boolean;
}

/** Maximum that is shown at first. */
const AT_FIRST = { lines: 60, characters: 6_000 } as const;
/** Number of lines that are laid out together. */
const CHUNK = 200;

/** A presentation; long content is cut at first. `onSeen`: all of it was seen. */
export function contentOf(presentation: Presentation, onSeen: () => void): ShownContent {
  const { type, about, language, content, fullContent = content, metadata } = presentation;
  const program = type === "command" ? metadata?.["program"] : undefined;
  const head = [
    element("h3", {}, CONTENTS[type]),
    about === undefined
      ? null
      : element("p", { class: "about" }, type === "command" ? "in " : "of ", foreign(about, "code")),
    typeof program === "string"
      ? element("p", { class: "about" }, "run by ", foreign(program, "code"))
      : null,
    language === undefined || type === "command"
      ? null
      : element("p", { class: "language" }, foreign(language, "code")),
  ];
  const lines = type === "diff" ? diffLines(fullContent) : plainLines(fullContent);
  return cut(element("div", { class: "block-head" }, ...head), type, lines, onSeen);
}

/** A text of the request in a block of its own. */
export function textBlock(title: string, text: string, onSeen: () => void): ShownContent {
  return cut(
    element("div", { class: "block-head" }, element("h3", {}, title)),
    "structured",
    plainLines(text),
    onSeen,
  );
}

function cut(
  head: HTMLElement,
  type: Presentation["type"],
  lines: readonly DrawnLine[],
  onSeen: () => void,
): ShownContent {
  const first = firstLines(lines, AT_FIRST);
  const rows = element(
    "div",
    { class: "lines", attributes: { "data-type": type } },
    ...chunks(lines.slice(0, first)),
  );
  let isWhole = first === lines.length;
  const end = endOf(() => isWhole, onSeen);
  const node = element("section", { class: "block" }, head, rows, end.mark);
  const showAll = (): boolean => {
    if (isWhole) return false;
    isWhole = true;
    rows.append(...chunks(lines.slice(first)));
    more.remove();
    end.moved();
    return true;
  };
  const more = button(
    [`Show ${count(lines.length - first, "more line")}`],
    { class: "more" },
    () => void showAll(),
  );
  if (!isWhole) end.mark.before(more);
  return { node, end, showAll };
}

/** A node of limited height until a person expands it. */
export function bounded(node: HTMLElement, onSeen: () => void): ShownContent {
  const end = endOf(() => true, onSeen);
  node.classList.add("bounded");
  node.append(end.mark);
  const showAll = (): boolean => {
    const isCut = !end.isSeen() && node.scrollHeight > node.clientHeight;
    if (isCut) node.classList.remove("bounded");
    return isCut;
  };
  return { node, end, showAll };
}

function chunks(lines: readonly DrawnLine[]): readonly HTMLElement[] {
  const all: HTMLElement[] = [];
  for (let at = 0; at < lines.length; at += CHUNK)
    all.push(element("div", { class: "chunk" }, ...lines.slice(at, at + CHUNK).map(row)));
  return all;
}

function row({ kind, sign, text }: DrawnLine): HTMLElement {
  const line = element("bdi", { class: "line-text", attributes: { dir: "ltr" } }, ...nodesOf(text));
  // Screen readers read the meaning of the sign.
  const says = sign === GOES_ON ? "continues" : kind;
  const mark = element("span", { class: "sign", attributes: { role: "img", "aria-label": says } }, sign);
  return element(
    "div",
    { class: "line", attributes: { "data-kind": kind } },
    ...(sign === "" ? [] : [mark]),
    line,
  );
}

import { element, isCovered } from "./dom.ts";

/** The end of content that must be read, and whether it was on the screen. */
export interface End {
  readonly mark: HTMLElement;
  isSeen(): boolean;
  /** Content was added before it: it must be reached again. */
  moved(): void;
}

/** An end that does not count while `isThere` is false or a dialog covers the page. `onSeen`: it was on the screen. */
export function endOf(isThere: () => boolean, onSeen: () => void): End {
  const mark = element("div", { class: "end" });
  let isSeen = false;
  // A new observation also reports an end that is still on the screen.
  const again = (): void => {
    watch.disconnect();
    if (!isSeen) watch.observe(mark);
  };
  const watch = new IntersectionObserver((entries) => {
    if (!isThere() || !entries.some(({ isIntersecting }) => isIntersecting)) return;
    if (isCovered()) return document.addEventListener("close", again, { capture: true, once: true });
    isSeen = true;
    watch.disconnect();
    onSeen();
  });
  watch.observe(mark);
  return { mark, isSeen: () => isSeen, moved: again };
}

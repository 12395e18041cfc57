import { element, isCovered } from "./dom.ts";

/** The end of something that is to be read, and whether it was on the screen. */
export interface End {
  /** Stands behind what is to be read. */
  readonly mark: HTMLElement;
  isSeen(): boolean;
  /** More was put before it: it has to be reached anew. */
  moved(): void;
}

/**
 * An end that counts for nothing as long as `isThere` says no, or something lies over the page. `onSeen`: it was on the
 * screen.
 */
export function endOf(isThere: () => boolean, onSeen: () => void): End {
  const mark = element("div", { class: "end" });
  let isSeen = false;
  // Where it is on the screen as before, that is told again.
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

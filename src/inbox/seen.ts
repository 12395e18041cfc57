import { element } from "./dom.ts";

/** The end of something that is to be read, and whether it was on the screen. */
export interface End {
  /** Stands behind what is to be read. */
  readonly mark: HTMLElement;
  isSeen(): boolean;
  /** More was put before it: it has to be reached anew. */
  moved(): void;
}

/** An end that counts for nothing as long as `isThere` says no. `onSeen`: it was on the screen. */
export function endOf(isThere: () => boolean, onSeen: () => void): End {
  const mark = element("div", { class: "end" });
  let isSeen = false;
  const watch = new IntersectionObserver((entries) => {
    if (!isThere() || !entries.some(({ isIntersecting }) => isIntersecting)) return;
    isSeen = true;
    watch.disconnect();
    onSeen();
  });
  watch.observe(mark);
  return {
    mark,
    isSeen: () => isSeen,
    moved: () => {
      // Where it is on the screen as before, that is told again.
      watch.disconnect();
      watch.observe(mark);
    },
  };
}

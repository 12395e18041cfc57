import type { Detail } from "./detail.ts";

/** Expands content that was cut, or scrolls down; back up to content that was passed over. */
export function readOn(detail: Detail | null, scroll: HTMLElement): void {
  if (detail?.showAll() === true) return;
  const end = detail?.unseen() ?? null;
  const isPassed = end !== null && end.getBoundingClientRect().bottom < scroll.getBoundingClientRect().top;
  if (isPassed) end.scrollIntoView({ block: "center" });
  else scroll.scrollBy({ top: scroll.clientHeight * 0.8 });
}

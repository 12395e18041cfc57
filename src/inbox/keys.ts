import { isCovered, isField } from "./dom.ts";

/** The actions of the keys. */
export interface KeyActs {
  readonly onStep: (by: 1 | -1) => void;
  readonly onApprove: () => void;
  readonly onApproveForSession: () => void;
  readonly onNote: () => void;
  readonly onReadOn: () => void;
  readonly onHelp: () => void;
}

/** Handles single key presses without a modifier, outside text fields. */
export function listen(acts: KeyActs): void {
  const byKey: ReadonlyMap<string, () => void> = new Map([
    ["j", () => acts.onStep(1)],
    ["ArrowDown", () => acts.onStep(1)],
    ["k", () => acts.onStep(-1)],
    ["ArrowUp", () => acts.onStep(-1)],
    ["a", acts.onApprove],
    ["s", acts.onApproveForSession],
    ["r", acts.onNote],
    ["v", acts.onReadOn],
    ["?", acts.onHelp],
  ]);
  const moving = ["j", "k", "ArrowDown", "ArrowUp"];
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    if (isField(target)) {
      if (key === "Escape") target.blur();
      return;
    }
    // A key that is held down does not answer a second time.
    if (event.repeat && !moving.includes(key)) return;
    if (isCovered() && key !== "?") return;
    const act = byKey.get(key);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

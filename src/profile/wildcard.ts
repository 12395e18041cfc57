/**
 * True if the tokens, one after the other, take all of `length` items. `take` returns how many items a token takes at a
 * place: a number, none (-1), or `"any"`. `step` is the size of the item at a place. Only the last `"any"` is ever
 * tried again, further on: all before it fitted at its first place, so the time is tokens × items at most.
 */
export function takesAll<Token>(
  tokens: readonly Token[],
  length: number,
  take: (token: Token, at: number) => number | "any",
  step: (at: number) => number,
): boolean {
  let [next, at, afterAny, retryAt] = [0, 0, 0, length];
  while (next < tokens.length || at < length) {
    const token = tokens[next];
    const taken = token === undefined ? -1 : take(token, at);
    if (taken === "any") {
      next += 1;
      [afterAny, retryAt] = [next, at];
    } else if (taken >= 0) {
      next += 1;
      at += taken;
    } else if (retryAt < length) {
      retryAt += step(retryAt);
      [next, at] = [afterAny, retryAt];
    } else {
      return false;
    }
  }
  return true;
}

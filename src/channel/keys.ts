/** An answer to a call: approve it, approve all calls like it, or reject it. */
export type KeyAnswer = "once" | "session" | "no";

/** Meanings of a key under a request. */
export type Key =
  | { readonly kind: "answer"; readonly answer: KeyAnswer }
  | { readonly kind: "all"; readonly answer: "once" | "no" }
  | { readonly kind: "pick"; readonly position: number }
  | { readonly kind: "view" | "why" | "grants" | "scopes" | "other" };

/** Meanings of a key on a page over the request. */
export type PageKey =
  | { readonly kind: "turn"; readonly to: "next" | "back" }
  | { readonly kind: "pick"; readonly position: number }
  | { readonly kind: "leave" | "other" };

const ESCAPE = "\u{1b}";
const CTRL_D = "\u{4}";

/** Only `y`, `s` and `A` approve. */
export function keyOf(typed: string): Key {
  switch (typed) {
    case "y":
      return { kind: "answer", answer: "once" };
    case "s":
      return { kind: "answer", answer: "session" };
    case "n":
    case "q":
    case "\r":
    case "\n":
    case ESCAPE:
    case CTRL_D:
      return { kind: "answer", answer: "no" };
    case "A":
      return { kind: "all", answer: "once" };
    case "N":
      return { kind: "all", answer: "no" };
    case "v":
      return { kind: "view" };
    case "w":
      return { kind: "why" };
    case "g":
      return { kind: "grants" };
    case "m":
      return { kind: "scopes" };
    default:
      return picked(typed) ?? { kind: "other" };
  }
}

/** No key on a page answers the request. */
export function pageKeyOf(typed: string): PageKey {
  switch (typed) {
    case " ":
      return { kind: "turn", to: "next" };
    case "b":
      return { kind: "turn", to: "back" };
    case "q":
    case "\r":
    case "\n":
    case ESCAPE:
    case CTRL_D:
      return { kind: "leave" };
    default:
      return picked(typed) ?? { kind: "other" };
  }
}

function picked(typed: string): { readonly kind: "pick"; readonly position: number } | null {
  return /^[1-9]$/.test(typed) ? { kind: "pick", position: Number(typed) - 1 } : null;
}

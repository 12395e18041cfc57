/** What a person says to a call: yes to this one, yes to all like it, or no. */
export type Answer = "once" | "session" | "no";

/** What a key means under a question. */
export type Key =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "all"; readonly answer: "once" | "no" }
  | { readonly kind: "pick"; readonly position: number }
  | { readonly kind: "view" | "why" | "grants" | "other" };

/** What a key means on a page over the question. */
export type PageKey =
  | { readonly kind: "turn"; readonly to: "next" | "back" }
  | { readonly kind: "pick"; readonly position: number }
  | { readonly kind: "leave" | "other" };

const ESCAPE = "\u{1b}";
const CTRL_D = "\u{4}";

/** Only `y`, `s` and `A` are a yes. */
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
    default:
      return picked(typed) ?? { kind: "other" };
  }
}

/** No key on a page answers the question. */
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

import { matchesWord } from "./rule.ts";

/**
 * True when one glob of `matchesWord` covers every word that the other does. Exact: the other's `*`, taken as a character,
 * is one that only a `*` can stand for, as no glob can write it.
 */
export function coversGlob(wide: string, glob: string): boolean {
  return canMeet(wide, glob) && matchesWord(wide, glob);
}

/**
 * True when there is a word that both globs cover. Exact, in time linear in their lengths: where both have a `*`, what
 * stands between their first and last ones can follow one another in one word, so only the ends can disagree.
 */
export function globsMeet(a: string, b: string): boolean {
  if (!canMeet(a, b)) return false;
  if (!a.includes("*")) return matchesWord(b, a);
  if (!b.includes("*")) return matchesWord(a, b);
  const [startA, startB] = [a.slice(0, a.indexOf("*")), b.slice(0, b.indexOf("*"))];
  const [endA, endB] = [a.slice(a.lastIndexOf("*") + 1), b.slice(b.lastIndexOf("*") + 1)];
  return (
    (startA.startsWith(startB) || startB.startsWith(startA)) && (endA.endsWith(endB) || endB.endsWith(endA))
  );
}

/** False for most globs that share no word, at once: long lists of rules are held against each other pair by pair. */
function canMeet(a: string, b: string): boolean {
  return agreeAt(0, a, b) && agreeAt(-1, a, b);
}

function agreeAt(end: 0 | -1, a: string, b: string): boolean {
  const [one, other] = [a.at(end), b.at(end)];
  return one === other || one === "*" || other === "*";
}

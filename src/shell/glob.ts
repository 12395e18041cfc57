import { matchesWord } from "./rule.ts";

/**
 * True if one glob of `matchesWord` covers every word that the other does. Exact: the other's `*`, taken as a
 * character, is one that only a `*` can match, as no glob can write it.
 */
export function coversGlob(wide: string, glob: string): boolean {
  return canMeet(wide, glob) && matchesWord(wide, glob);
}

/** True if some word matches both globs. Exact, in linear time: if both have a `*`, only the ends can disagree. */
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

/** Returns false early for most globs that share no word: long lists of rules are compared pair by pair. */
function canMeet(a: string, b: string): boolean {
  return agreeAt(0, a, b) && agreeAt(-1, a, b);
}

function agreeAt(end: 0 | -1, a: string, b: string): boolean {
  const [one, other] = [a.at(end), b.at(end)];
  return one === other || one === "*" || other === "*";
}

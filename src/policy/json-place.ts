/** A longer key is cut where it only says where something stands. */
const MOST_OF_A_KEY = 40;

/** The place of a member: `a` and `b` make `a.b`, `a` and 3 make `a[3]`, `a` and `b c` make `a["b c"]`. */
export function placeBelow(at: string, step: string | number): string {
  if (typeof step === "number") return `${at}[${step}]`;
  const key = step.length > MOST_OF_A_KEY ? `${step.slice(0, MOST_OF_A_KEY)}…` : step;
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${at}[${JSON.stringify(key)}]`;
  return at === "" ? key : `${at}.${key}`;
}

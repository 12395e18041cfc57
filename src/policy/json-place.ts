/** A longer key is cut in a place. */
const MAX_KEY_LENGTH = 40;

/** The place of a member: `a` and `b` make `a.b`, `a` and 3 make `a[3]`, `a` and `b c` make `a["b c"]`. */
export function placeBelow(at: string, step: string | number): string {
  if (typeof step === "number") return `${at}[${step}]`;
  const key = step.length > MAX_KEY_LENGTH ? `${step.slice(0, MAX_KEY_LENGTH)}…` : step;
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${at}[${JSON.stringify(key)}]`;
  return at === "" ? key : `${at}.${key}`;
}

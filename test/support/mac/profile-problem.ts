import { GUARDED, NAMED } from "../../../src/host/launch/mac/probes/system.ts";

/** What a rule may be about: the operations that `doctor` asks a Mac for, and everything. */
const OPERATIONS: ReadonlySet<string> = new Set(["default", ...NAMED, ...GUARDED]);

/** Comments, strings with and without escapes, parentheses, and words. */
const TOKEN = /;.*|#?"(?:[^"\\]|\\[\s\S])*"|[()]|[^\s()";]+|"/g;

/**
 * What is wrong with the text of a profile, in words such as its compiler's; null where nothing is found. Looked at are
 * parentheses, the operations of rules and the parameters. The filters are read by the Seatbelt model, in its nightly run.
 */
export function problemOf(text: string, params: ReadonlyMap<string, string>): string | null {
  const problem = (at: number, what: string): string =>
    `<input string>:${text.slice(0, at).split("\n").length}: ${what}`;
  /** For each open list what it begins with, and whether operations may still come. */
  const open: { head: string | null; isAction: boolean }[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const list = open.at(-1);
    if (token.startsWith(";")) continue;
    if (token === '"') return problem(index, "a string without an end");
    if (token === "(") {
      if (list !== undefined) list.isAction = false;
      open.push({ head: null, isAction: false });
    } else if (token === ")") {
      if (open.pop() === undefined) return problem(index, "one parenthesis too many");
    } else if (list === undefined) return problem(index, `unbound variable: ${token}`);
    else if (list.head === null) {
      list.head = token;
      list.isAction = token === "allow" || token === "deny";
    } else if (list.isAction && !OPERATIONS.has(token)) return problem(index, `unbound variable: ${token}`);
    else if (list.head === "param" && !params.has(token.slice(1, -1)))
      return problem(index, `no value for the parameter ${token}`);
  }
  return open.length === 0 ? null : problem(text.length, "a parenthesis too few");
}

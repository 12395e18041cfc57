import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { suggestion } from "./nearest.ts";

/** The schema of one function's options: every key, and how its value is checked. */
export type OptionsOf<Options> = z.ZodObject<Record<keyof Options & string, z.ZodType>, z.core.$strict>;

/** Schema of a text; `what` ends "… is" in an error's hint. */
export const text = (what: string) => z.string({ error: what });

/** Schema of a text that is not empty. */
export const nonEmptyText = (what: string) => text(what).min(1, { error: what });

/** Schema of `true` or `false`. */
export const flag = () => z.boolean({ error: "`true` or `false`" });

/** Schema of a whole number above 0. */
export const count = () => z.int({ error: COUNT }).positive({ error: COUNT });
const COUNT = "a whole number above 0";

/** Schema of an object that has these methods. */
export const having = (what: string, ...methods: readonly string[]) =>
  z.custom<object>(
    (given) =>
      typeof given === "object" &&
      given !== null &&
      methods.every((name) => name in given && typeof Reflect.get(given, name) === "function"),
    { error: what },
  );

/** Schema of a function. */
export const callback = (what: string) =>
  z.custom<object>((given) => typeof given === "function", { error: what });

/** Rejects unknown or mistyped options: none may count as left out. Throws `USAGE` with the nearest known key. */
export function assertOptions(of: string, schema: OptionsOf<Record<string, unknown>>, given: unknown): void {
  const issue = schema.safeParse(given).error?.issues[0];
  if (issue === undefined) return;
  const known = Object.keys(schema.shape);
  const all = `\`${of}\` takes \`{ ${known.map((key) => `${key}?`).join(", ")} }\``;
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const near = issue.path.length === 0 ? suggestion(key, known) : null;
    throw new CofferdamError("USAGE", `unknown option ${placeOf([...issue.path, key])} of \`${of}\``, {
      hint: near ?? all,
    });
  }
  if (issue.path.length === 0)
    throw new CofferdamError("USAGE", `the options of \`${of}\` must be an object`, { hint: all });
  const [option = ""] = issue.path;
  throw new CofferdamError("USAGE", `invalid option ${placeOf(issue.path)} of \`${of}\``, {
    hint: `${visible(String(option))} must be ${issue.message}`,
  });
}

/** The place of an option or argument, as `edits.0.text`. */
export function placeOf(path: readonly PropertyKey[]): string {
  return visible(path.map(String).join("."));
}

import { z } from "zod";
import { nearest } from "../config/nearest.ts";
import { CofferdamError, visible } from "../errors.ts";

/** What the options of one function are made of: every key that there is, and how its value is checked. */
export type OptionsOf<Options> = z.ZodObject<Record<keyof Options & string, z.ZodType>, z.core.$strict>;

/** A text; `what` ends "… is" in an error's hint. */
export const text = (what: string) => z.string({ error: what });

/** An object that has these methods. */
export const having = (what: string, ...methods: readonly string[]) =>
  z.custom<object>(
    (given) =>
      typeof given === "object" &&
      given !== null &&
      methods.every((name) => name in given && typeof Reflect.get(given, name) === "function"),
    { error: what },
  );

/** A function. */
export const callback = (what: string) =>
  z.custom<object>((given) => typeof given === "function", { error: what });

/**
 * Refuses options that a function does not have: an option that is misspelt, or of another type, must not count as one
 * that was left out. Throws `USAGE` with the nearest known key.
 */
export function assertOptions(of: string, schema: OptionsOf<Record<string, unknown>>, given: unknown): void {
  const issue = schema.safeParse(given).error?.issues[0];
  if (issue === undefined) return;
  const known = Object.keys(schema.shape);
  const all = `\`${of}\` takes \`{ ${known.map((key) => `${key}?`).join(", ")} }\``;
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const near = issue.path.length === 0 ? nearest(key, known) : null;
    throw new CofferdamError("USAGE", `${placeOf([...issue.path, key])} is no option of \`${of}\``, {
      hint: near === null ? all : `did you mean \`${near}\`?`,
    });
  }
  if (issue.path.length === 0)
    throw new CofferdamError("USAGE", `the options of \`${of}\` are no object`, { hint: all });
  const [option = ""] = issue.path;
  throw new CofferdamError("USAGE", `${placeOf(issue.path)} is not what \`${of}\` takes`, {
    hint: `${visible(String(option))} is ${issue.message}`,
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  return visible(path.map(String).join("."));
}

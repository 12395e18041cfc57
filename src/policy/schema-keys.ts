import { z } from "zod";

/** The keys that the schema has at a path; for a union, those of every alternative. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))];
  const [head, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (head === undefined) return Object.keys(schema.shape);
    const shape: Readonly<Record<PropertyKey, unknown>> = schema.shape;
    const next = Object.hasOwn(shape, head) ? shape[head] : undefined;
    return next instanceof z.ZodType ? keysAt(next, rest) : [];
  }
  if (head === undefined) return [];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  return schema instanceof z.ZodRecord ? keysAt(schema.valueType, rest) : [];
}

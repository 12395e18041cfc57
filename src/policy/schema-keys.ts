import { z } from "zod";

/** Schemas of values without keys. */
const OF_ONE_VALUE = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodNull];

/** The keys that the schema has at a path; for a union, those of every alternative. Null if they can't be told. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] | null {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  if (schema instanceof z.ZodUnion) {
    const keys = schema.options.map((option) => keysAt(option, path));
    return keys.includes(null) ? null : [...new Set(keys.flatMap((some) => some ?? []))];
  }
  const [head, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (head === undefined) return Object.keys(schema.shape);
    const shape: Readonly<Record<PropertyKey, unknown>> = schema.shape;
    const next = Object.hasOwn(shape, head) ? shape[head] : undefined;
    return next instanceof z.ZodType ? keysAt(next, rest) : [];
  }
  if (schema instanceof z.ZodArray) return head === undefined ? [] : keysAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return head === undefined ? [] : keysAt(schema.valueType, rest);
  return OF_ONE_VALUE.some((kind) => schema instanceof kind) ? [] : null;
}

import { z } from "zod";

/** Maximum of fields that are named. */
const MAX_FIELDS = 24;

const Property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
});
const ObjectSchema = z.looseObject({
  properties: z.record(z.string(), Property),
  required: z.array(z.string()).default([]),
});
const AnySchema = z.union([
  ObjectSchema.transform((one) => [one]),
  z.looseObject({ anyOf: z.array(ObjectSchema) }).transform(({ anyOf }) => anyOf),
]);

/** The fields of a tool's input in a sentence: `its keys: path (string), first_line (integer, optional)`. Null if unknown. */
export function inputText(schema: z.ZodType): string | null {
  const alternatives = AnySchema.safeParse(jsonSchemaOf(schema)).data ?? [];
  const fields = new Map<string, string>();
  for (const { properties, required } of alternatives)
    for (const [name, property] of Object.entries(properties)) {
      const isOptional = !required.includes(name) || alternatives.length > 1;
      fields.set(name, `${name} (${typeText(property)}${isOptional ? ", optional" : ""})`);
    }
  if (fields.size === 0) return null;
  const more = fields.size > MAX_FIELDS ? `, and ${fields.size - MAX_FIELDS} more` : "";
  return `its keys: ${[...fields.values()].slice(0, MAX_FIELDS).join(", ")}${more}`;
}

function typeText({ type, enum: values, anyOf }: z.infer<typeof Property>): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ");
  const types = [type ?? anyOf?.map((one) => one.type ?? "any") ?? "any"].flat();
  return [...new Set(types)].join(" or ");
}

/** A schema of the host's own may have parts that JSON Schema cannot express. */
function jsonSchemaOf(schema: z.ZodType): unknown {
  try {
    return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  } catch {
    return null;
  }
}

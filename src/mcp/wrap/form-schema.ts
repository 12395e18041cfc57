import { z } from "zod";
import { visibleStart } from "../../channel/foreign-text.ts";
import { escapeInvisible } from "../../errors.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";

const MAX_FIELDS = 100;
const MAX_CHOICES = 1_000;

const number = optional(z.number());
const text = z.string().transform(escapeInvisible);
const title = shortText(200);
const texts = optional(listOf(text));
const choices = optional(listOf(z.object({ const: text, title: optional(title) })));
const values = { enum: texts, enumNames: optional(listOf(title.catch(""))) };

/** A field of a primitive type, with the members that the protocol knows. */
const Field = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("boolean"), default: optional(z.boolean()) }),
    z.object({ type: z.enum(["number", "integer"]), minimum: number, maximum: number, default: number }),
    z.object({
      type: z.literal("string"),
      minLength: number,
      maxLength: number,
      format: optional(z.enum(["email", "uri", "date", "date-time"])),
      ...values,
      oneOf: choices,
      default: optional(text),
    }),
    z.object({
      type: z.literal("array"),
      minItems: number,
      maxItems: number,
      items: z
        .object({ ...values, anyOf: choices })
        .refine((items) => Object.values(items).some((list) => list !== undefined))
        .transform((items) => (items.enum === undefined ? items : { type: "string", ...items })),
      default: texts,
    }),
  ])
  .and(z.object({ title: optional(title), description: optional(shortText(1_000)) }));

/**
 * The schema of a server's form, rebuilt from the members that the protocol knows (specification 2025-11-25,
 * client/elicitation). Only fields of primitive types remain. Each names the server, and every text is made visible.
 */
export function shownSchema(server: string, schema: JsonObject): JsonObject {
  const fields = Object.entries(objectOf(memberOf(schema, "properties")) ?? {})
    .slice(0, MAX_FIELDS)
    .flatMap(([name, given]): [string, JsonObject][] => {
      const { data: field } = Field.safeParse(given);
      if (field === undefined) return [];
      return [[escapeInvisible(name), { ...field, title: `${server}: ${field.title ?? title.parse(name)}` }]];
    });
  const properties = Object.fromEntries(fields);
  const required = texts
    .parse(memberOf(schema, "required"))
    ?.filter((name) => Object.hasOwn(properties, name));
  return {
    type: "object",
    properties,
    ...(required === undefined || required.length === 0 ? {} : { required }),
  };
}

/** Leaves out a member with another type. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** A list without the items that have another type, up to the maximum. */
function listOf<Schema extends z.ZodType>(schema: Schema) {
  return z.array(z.unknown()).transform((list) =>
    list.slice(0, MAX_CHOICES).flatMap((item) => {
      const read = schema.safeParse(item);
      return read.success ? [read.data] : [];
    }),
  );
}

/** A text that is cut after so many UTF-16 units. */
function shortText(maxLength: number) {
  return z.string().transform((given) => {
    const { shown, isWhole } = visibleStart(given, maxLength);
    return isWhole ? shown : `${shown}…`;
  });
}

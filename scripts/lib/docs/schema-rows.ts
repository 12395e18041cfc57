import { z } from "zod";

/** The part of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly examples?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly $ref?: string | undefined;
}

export const Schema: z.ZodType<Schema> = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
  get items() {
    return Schema.optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
  get oneOf() {
    return z.array(Schema).optional();
  },
  $ref: z.string().optional(),
});

/** One key of a file, by its path: `sandbox.paths.NAME.root`, `shell.rules[].pattern`. */
export interface Row {
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** As YAML; empty if there is none. */
  readonly default: string;
  readonly description: string;
  readonly example: string;
  /** Its value has the keys of this path. */
  readonly like: string | null;
}

/** Keys below which there is one row for all forms: their own text lists them. */
const ONE_ROW = new Set(["expect"]);

/** Every key that an object may have, and the keys below it, in the order of the schema; each path once. */
export function rowsOf(schema: Schema): readonly Row[] {
  const rows = new Map<string, Row>();
  /** The first path of each set of keys. */
  const seen = new Map<string, string>();
  const visit = (below: Schema, path: string): void => {
    for (const [key, one] of Object.entries(below.properties ?? {})) {
      const own = path === "" ? key : `${path}.${key}`;
      const inner = ONE_ROW.has(own) ? [] : innerOf(one, own);
      const likes = inner.map(([schemaBelow, at]) => known(seen, schemaBelow, at));
      const like = likes.find((found) => found !== null) ?? null;
      if (!rows.has(own)) rows.set(own, rowOf(own, one, below.required?.includes(key) === true, like));
      if (like === null) for (const [schemaBelow, at] of inner) visit(schemaBelow, at);
    }
  };
  for (const [one, path] of innerOf(schema, "")) visit(one, path);
  return [...rows.values()];
}

/** The type in words: `text`, `list of text`, `` `a` or `b` ``. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return codeOf(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(codeOf).join(", ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return [...new Set(either.map(typeOf))].join(" or ");
  if (schema.$ref !== undefined) return schema.$ref.includes("__schema") ? "any JSON" : linkTo(schema.$ref);
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const { type } = schema;
  if (type === undefined) return "any value";
  if (typeof type !== "string") return type.map((one) => NAMES[one] ?? one).join(" or ");
  if (type === "object" && typeof schema.additionalProperties === "object")
    return `table of ${typeOf(schema.additionalProperties)}`;
  return NAMES[type] ?? type;
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "`true`, `false`",
  object: "object",
  array: "list",
};

function codeOf(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function linkTo(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return `[${name}](#${name.toLowerCase()})`;
}

function rowOf(path: string, schema: Schema, isRequired: boolean, like: string | null): Row {
  const isEmpty = JSON.stringify(schema.default) === "{}";
  return {
    path,
    type: typeOf(schema),
    isRequired,
    default: schema.default === undefined || isEmpty ? "" : yamlOf(schema.default),
    description: schema.description ?? "",
    example: exampleOf(schema),
    like,
  };
}

function exampleOf(schema: Schema): string {
  const [first] = schema.examples ?? [];
  if (first !== undefined) return yamlOf(first);
  if (schema.const !== undefined) return yamlOf(schema.const);
  const [choice] = schema.enum ?? [];
  if (choice !== undefined) return yamlOf(choice);
  if (schema.type === "boolean") return String(schema.default !== true);
  if (schema.items?.enum !== undefined) return yamlOf(schema.items.enum.slice(0, 1));
  const isFilled = schema.default !== undefined && JSON.stringify(schema.default) !== "{}";
  return isFilled ? yamlOf(schema.default) : "";
}

/** A value on one line, as people write it in YAML. */
function yamlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlOf).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${plain(key)}: ${yamlOf(one)}`)
      .join(", ")} }`;
  return typeof value === "string" ? plain(value) : JSON.stringify(value);
}

function plain(text: string): string {
  const isPlain =
    /^[A-Za-z_./~][\w./@-]*( [\w./@-]+)*$/.test(text) && !/^(true|false|null|yes|no)$/.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** The schemas with keys in a key's value, each with its path. */
function innerOf(schema: Schema, path: string): readonly (readonly [Schema, string])[] {
  const { additionalProperties: others, items, anyOf = [], oneOf = [] } = schema;
  return [
    ...(schema.properties === undefined ? [] : [[schema, path] as const]),
    ...(typeof others === "object" ? innerOf(others, `${path}.NAME`) : []),
    ...(items === undefined ? [] : innerOf(items, `${path}[]`)),
    ...innerOfForms([...anyOf, ...oneOf], path),
  ];
}

/** Forms that are told apart by the constant of a key are one schema; all others stand for themselves. */
function innerOfForms(forms: readonly Schema[], path: string): readonly (readonly [Schema, string])[] {
  const [first, ...others] = forms;
  const isTag = (key: string): boolean => forms.every((one) => one.properties?.[key]?.const !== undefined);
  const isUnion = others.length > 0 && Object.keys(first?.properties ?? {}).some(isTag);
  return isUnion ? [[merged(forms), path]] : forms.flatMap((one) => innerOf(one, path));
}

/** A key is required if every form requires it, and has the values of all. */
function merged(forms: readonly Schema[]): Schema {
  const keys = new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)));
  const ofKey = (key: string): Schema => {
    const all = forms.flatMap(({ properties }) => properties?.[key] ?? []);
    const [only, ...more] = all;
    if (only === undefined || more.every((one) => JSON.stringify(one) === JSON.stringify(only)))
      return only ?? {};
    const meanings = new Set(all.flatMap(({ description = [] }) => description));
    return { anyOf: all, description: [...meanings].join(", or ") };
  };
  return {
    properties: Object.fromEntries([...keys].map((key) => [key, ofKey(key)])),
    required: [...keys].filter((key) => forms.every(({ required = [] }) => required.includes(key))),
  };
}

function known(seen: Map<string, string>, schema: Schema, path: string): string | null {
  const text = JSON.stringify(schema.properties);
  const found = seen.get(text);
  if (found !== undefined && found !== path) return found;
  seen.set(text, path);
  return null;
}

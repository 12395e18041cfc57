import { visibleStart } from "../../channel/foreign-text.ts";
import { escapeInvisible } from "../../errors.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** More fields, and more to choose from, nobody fills in. */
const MOST_FIELDS = 100;
const MOST_CHOICES = 1_000;
/** The most units of what is shown of a field: its title, and what it says about itself. */
const MOST_OF_A_TITLE = 200;
const MOST_OF_A_DESCRIPTION = 1_000;

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/**
 * The schema of a form that a server wants filled in, made anew from the members that the protocol knows (specification
 * 2025-11-25, client/elicitation): fields of plain kinds, each of which says whose it is, and every text made visible. What
 * else stands there does not go on.
 */
export function shownSchema(server: string, schema: Members): Members {
  const fields = Object.entries(membersOf(memberOf(schema, "properties")) ?? {})
    .slice(0, MOST_FIELDS)
    .flatMap(([name, field]): [string, Members][] => {
      const shown = shownField(server, name, field);
      return shown === null ? [] : [[escapeInvisible(name), shown]];
    });
  const names = new Set(fields.map(([name]) => name));
  const required = textsOf(memberOf(schema, "required")).filter((name) => names.has(name));
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Null for what is no field of a plain kind. */
function shownField(server: string, name: string, field: unknown): Members | null {
  const of = ofKind(field);
  if (of === null) return null;
  const title = memberOf(field, "title");
  const description = memberOf(field, "description");
  const shown = cut(typeof title === "string" ? title : name, MOST_OF_A_TITLE);
  return {
    ...of,
    title: `${server}: ${shown}`,
    ...(typeof description === "string" ? { description: cut(description, MOST_OF_A_DESCRIPTION) } : {}),
  };
}

function ofKind(field: unknown): Members | null {
  const type = memberOf(field, "type");
  const preset = memberOf(field, "default");
  switch (type) {
    case "boolean":
      return { type, ...(typeof preset === "boolean" ? { default: preset } : {}) };
    case "number":
    case "integer":
      return { type, ...numbersOf(field, ["minimum", "maximum", "default"]) };
    case "string": {
      const format = memberOf(field, "format");
      return {
        type,
        ...numbersOf(field, ["minLength", "maxLength"]),
        ...(FORMATS.has(format) ? { format } : {}),
        ...choicesOf(field, "oneOf"),
        ...(typeof preset === "string" ? { default: escapeInvisible(preset) } : {}),
      };
    }
    case "array": {
      const choices = choicesOf(memberOf(field, "items"), "anyOf");
      if (Object.keys(choices).length === 0) return null;
      return {
        type,
        ...numbersOf(field, ["minItems", "maxItems"]),
        items: Object.hasOwn(choices, "enum") ? { type: "string", ...choices } : choices,
        ...(Array.isArray(preset) ? { default: textsOf(preset) } : {}),
      };
    }
    default:
      return null;
  }
}

/** What there is to choose from, by name or with a title for each. */
function choicesOf(field: unknown, titled: "oneOf" | "anyOf"): Members {
  const [values, labels] = [memberOf(field, "enum"), memberOf(field, "enumNames")];
  const options = memberOf(field, titled);
  return {
    ...(Array.isArray(values) ? { enum: textsOf(values) } : {}),
    ...(Array.isArray(labels) ? { enumNames: labels.slice(0, MOST_CHOICES).map(labelOf) } : {}),
    ...(Array.isArray(options) ? { [titled]: options.slice(0, MOST_CHOICES).flatMap(choiceOf) } : {}),
  };
}

function labelOf(label: unknown): string {
  return typeof label === "string" ? cut(label, MOST_OF_A_TITLE) : "";
}

function choiceOf(option: unknown): readonly Members[] {
  const [value, title] = [memberOf(option, "const"), memberOf(option, "title")];
  if (typeof value !== "string") return [];
  return [
    {
      const: escapeInvisible(value),
      ...(typeof title === "string" ? { title: cut(title, MOST_OF_A_TITLE) } : {}),
    },
  ];
}

function numbersOf(field: unknown, names: readonly string[]): Members {
  const found = names.map((name): [string, unknown] => [name, memberOf(field, name)]);
  return Object.fromEntries<unknown>(found.filter(([, value]) => Number.isFinite(value)));
}

/** The texts of a list, each made visible. */
function textsOf(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, MOST_CHOICES)
    .flatMap((text: unknown) => (typeof text === "string" ? [escapeInvisible(text)] : []));
}

function cut(text: string, most: number): string {
  const { shown, isWhole } = visibleStart(text, most);
  return isWhole ? shown : `${shown}…`;
}

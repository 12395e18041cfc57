import { z } from "zod";
import { openApi } from "../../../src/http/openapi.ts";
import { fieldTable } from "./field-table.ts";
import { code, page, table } from "./markdown.ts";
import { rowsOf, Schema, typeOf } from "./schema-rows.ts";

const Content = z.record(z.string(), z.looseObject({ schema: Schema.optional() }));
const Operation = z.looseObject({
  summary: z.string(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(
      z.looseObject({ name: z.string(), in: z.string(), description: z.string().optional(), schema: Schema }),
    )
    .default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string(), content: Content.optional() })),
});
const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), Schema) }),
});

/** The page about the HTTP API, from its description. */
export function httpPage(): string {
  const { paths, components } = Description.parse(openApi());
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => [
      `## ${method.toUpperCase()} ${path}`,
      ...route(operation),
    ]),
  );
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    rowsOf(schema).length === 0 ? `${typeOf(schema)}.` : fieldTable(schema),
  ]);
  return page(
    "HTTP API",
    "`cofferdam serve` and `serveApprovals` answer these requests. `GET /openapi.json` returns this description as OpenAPI 3.1.",
    "Every request but `GET /health` needs `Authorization: Bearer TOKEN`.",
    ...routes,
    "## Bodies",
    ...schemas,
  );
}

function route({
  summary,
  parameters,
  requestBody,
  responses,
}: z.infer<typeof Operation>): readonly string[] {
  const taken = parameters.map(({ name, in: place, description = "", schema }) => [
    code(name),
    place,
    typeOf(schema),
    description,
  ]);
  return [
    summary,
    ...(taken.length === 0 ? [] : [table(["parameter", "in", "type", "meaning"], taken)]),
    ...(requestBody === undefined ? [] : [`Body: ${bodyOf(requestBody.content)}.`]),
    table(
      ["status", "when", "body"],
      Object.entries(responses).map(([status, { description, content = {} }]) => [
        status,
        description,
        bodyOf(content),
      ]),
    ),
  ];
}

function bodyOf(content: z.infer<typeof Content>): string {
  return Object.entries(content)
    .map(([media, { schema }]) => (schema?.$ref === undefined ? code(media) : typeOf(schema)))
    .join(", ");
}

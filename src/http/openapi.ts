import { z } from "zod";
import { packageVersion } from "../host/look/version.ts";
import { REFUSALS } from "./refusal.ts";
import { LAST_EVENT, type Result, ROUTES, type Route, statusesOf, TOO_LATE } from "./routes.ts";
import { ANSWERED, Problem, SENT } from "./schemas.ts";

interface Described {
  readonly [key: string]: unknown;
}

/** The routes as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0), made from their table. */
export function openApi(): Readonly<Record<string, unknown>> {
  const paths = Map.groupBy(Object.entries<Route>(ROUTES), ([, { path }]) => path.replace(":id", "{id}"));
  return {
    openapi: "3.1.0",
    info: {
      title: "cofferdam approvals",
      version: packageVersion(),
      description: "Approval requests of agents, and answers to them.",
    },
    security: [{ token: [] }],
    paths: Object.fromEntries(
      [...paths].map(([path, routes]) => [
        path,
        Object.fromEntries(routes.map(([name, route]) => [route.method, operation(name, route)])),
      ]),
    ),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { ...schemasOf(ANSWERED, "output"), ...schemasOf(SENT, "input") },
    },
  };
}

function operation(name: string, route: Route): Described {
  const { does, id, query, body, result } = route;
  const parameters = [
    ...(id === undefined ? [] : [parameter("path", "id", id, { type: "string" }, true)]),
    ...Object.entries(query?.shape ?? {}).map(([key, one]) => {
      const { description, ...schema } = z.toJSONSchema(one);
      return parameter("query", key, description, schema, false);
    }),
    ...(result.kind === "events"
      ? [parameter("header", "Last-Event-ID", LAST_EVENT, { type: "string" }, false)]
      : []),
  ];
  return {
    operationId: name,
    summary: does,
    ...(route.isOpen === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(body) } }),
    responses: {
      "200": { description: "Success.", content: contentOf(result) },
      ...Object.fromEntries(refused(route)),
      default: { description: "An error of the server, with its code.", content: jsonOf(Problem) },
    },
  };
}

function refused(route: Route): readonly (readonly [string, Described])[] {
  const all = [...statusesOf(route)].toSorted(([a], [b]) => a - b);
  return all.map(([status, codes]) => {
    const [schema = Problem] = codes.flatMap((code) => TOO_LATE[code] ?? []);
    const description = codes.map((code) => `\`${code}\`: ${REFUSALS[code].message}.`).join(" ");
    return [String(status), { description, content: jsonOf(schema) }];
  });
}

function contentOf(result: Result): Described {
  switch (result.kind) {
    case "json":
      return jsonOf(result.schema);
    case "events":
      return { "text/event-stream": { schema: { type: "string" } } };
    case "data":
      return { "application/json": { schema: { type: "object" } } };
  }
}

function jsonOf(schema: z.ZodType): Described {
  return { "application/json": { schema: { $ref: reference(nameOf(schema)) } } };
}

function parameter(
  where: "path" | "query" | "header",
  name: string,
  description: string | undefined,
  schema: Described,
  required: boolean,
): Described {
  return {
    in: where,
    name,
    required,
    ...(description === undefined ? {} : { description }),
    schema: plain(schema),
  };
}

function schemasOf(named: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): Described {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: reference, io });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema)]));
}

/** Without keys that are only for separate documents, and without `readOnly`, whose meaning differs here. */
function plain(schema: Described): Described {
  const members = Object.entries(schema).filter(
    ([key, value]) => key !== "$schema" && key !== "$id" && !(key === "readOnly" && value === true),
  );
  return Object.fromEntries(members.map(([key, value]) => [key, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === "object" && value !== null ? plain({ ...value }) : value;
}

function nameOf(schema: z.ZodType): string {
  return Object.entries({ ...ANSWERED, ...SENT }).find(([, one]) => one === schema)?.[0] ?? "";
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

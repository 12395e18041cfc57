import { z } from "zod";
import type { Risk } from "../policy/risk.ts";
import { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { AddDomainInput, AddDomainOutput } from "../tool/fetch/add-domain.ts";
import type { WebFetchInput, WebFetchOutput } from "../tool/fetch/web-fetch.ts";
import { FILE_TOOLS, type FileToolName, type FileToolTypes } from "../tool/files/all.ts";
import type { ProgramOutcome, ValueOutcome } from "./outcome.ts";

/** What each of our tools takes, and what becomes of a call of it. */
export type ToolTypes = {
  readonly shell: { readonly input: ShellInput; readonly outcome: ProgramOutcome };
  readonly web_fetch: {
    readonly input: z.input<typeof WebFetchInput>;
    readonly outcome: ValueOutcome<WebFetchOutput>;
  };
  readonly web_fetch_add_domain: {
    readonly input: z.input<typeof AddDomainInput>;
    readonly outcome: ValueOutcome<AddDomainOutput>;
  };
} & {
  readonly [Name in FileToolName]: {
    readonly input: FileToolTypes[Name]["input"];
    readonly outcome: ValueOutcome<FileToolTypes[Name]["value"]>;
  };
};
export type ToolName = keyof ToolTypes;

/** A tool as a model is told of it. */
export interface ToolCard {
  readonly name: string;
  readonly risk: Risk;
  readonly description: string;
  /** JSON Schema of its input; null for a function that says nothing of it. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const SHELL =
  "Runs a program (`argv`) or a line for bash (`script`), one of both, inside the sandbox. The line is read first: each of its commands is judged.";

/** The names of all tools there are, in the order of their cards. */
export function toolNames(defined: readonly DefinedTool[]): readonly string[] {
  return ["shell", ...[...FILE_TOOLS, ...defined].map(({ name }) => name)];
}

/** Every tool there is: the shell, those on files, and those that are defined: for pages, and the host's own. */
export function toolCards(defined: readonly DefinedTool[]): readonly ToolCard[] {
  return [
    { name: "shell", risk: "write", description: SHELL, schema: schemaOf(ShellInput) },
    ...FILE_TOOLS.map(({ name, risk, description, input }) => ({
      name,
      risk,
      description,
      schema: schemaOf(input),
    })),
    ...defined.map(({ name, risk, description, input }) => ({
      name,
      risk,
      description,
      schema: input === null ? null : schemaOf(input),
    })),
  ];
}

/** JSON Schema of one object: what models are told of an input has no alternatives at its top, where many take none. */
function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { anyOf, ...schema } = jsonSchemaOf(input);
  const either = z.array(ObjectSchema).min(1).safeParse(anyOf).data;
  if (either === undefined) return anyOf === undefined ? schema : { ...schema, anyOf };
  const required = either[0]?.required?.filter((name) =>
    either.every((one) => one.required?.includes(name) === true),
  );
  return {
    ...schema,
    type: "object",
    properties: Object.assign({}, ...either.map(({ properties }) => properties)),
    ...(required === undefined || required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

const ObjectSchema = z.strictObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false),
});

/** What we don't change of an input is no property that a model must not set, as `readOnly` would say (JSON Schema). */
function jsonSchemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
}

import { z } from "zod";
import { type CommandRules, commandRulesText } from "../policy/command-rules.ts";
import type { Risk } from "../policy/risk.ts";
import { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { AddDomainInput, AddDomainOutput } from "../tool/fetch/add-domain.ts";
import type { WebFetchInput, WebFetchOutput } from "../tool/fetch/web-fetch.ts";
import { FILE_TOOLS, type FileToolName, type FileToolTypes } from "../tool/files/all.ts";
import type { ProgramOutcome, ValueOutcome } from "./outcome.ts";

/** The input and outcome of each of our tools. */
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

/** A tool as it is described to a model. */
export interface ToolCard {
  readonly name: string;
  readonly risk: Risk;
  readonly description: string;
  /** JSON Schema of its input; null for a function without one. */
  readonly schema: Readonly<Record<string, unknown>> | null;
}

const SHELL =
  "Runs either a program (`argv`) or a bash script (`script`) in the sandbox. Each command of a script is checked before it runs. `denials` in a result name what the sandbox denied, and what would help: only the user can change the config or run `cofferdam`.";

/** The names of all tools, in the order of their cards. */
export function toolNames(defined: readonly DefinedTool[]): readonly string[] {
  return ["shell", ...[...FILE_TOOLS, ...defined].map(({ name }) => name)];
}

/**
 * Every tool: the shell, the file tools, and the defined ones (for web pages, and the host's own). The card of the shell
 * tells the rules on commands in force; null leaves them out.
 */
export function toolCards(
  defined: readonly DefinedTool[],
  commands: CommandRules | null,
): readonly ToolCard[] {
  const shell = commands === null ? SHELL : `${SHELL} ${commandRulesText(commands)}`;
  return [
    { name: "shell", risk: "write", description: shell, schema: schemaOf(ShellInput) },
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

/** JSON Schema of one object. Alternatives at its top are merged, because many models take none. */
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

/** Removes `readOnly`: to a model it would say "never set this"; ours says that we don't change the input. */
function jsonSchemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
}

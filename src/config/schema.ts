import { z } from "zod";
import { OperatorAppeared } from "../policy/appeared-policy.ts";
import { ApprovalSection, OperatorApprovalSection } from "../policy/approval-section.ts";
import { Example } from "../profile/examples.ts";
import { ExecutedSection } from "../profile/executed.ts";
import { Age } from "../profile/quantity.ts";
import { ProfileSections } from "../profile/sections.ts";
import { WrittenPath } from "../profile/written.ts";
import { McpSection } from "../tool/mcp-settings.ts";
import { Name, SandboxSection, ShellSection, WebFetchSection } from "../tool/settings.ts";

/** `journal:`. `keep`: maximum age of this config's sessions since their last record; default: for ever. */
export const JournalSection = z.strictObject({
  folder: WrittenPath.optional().meta({
    description: "The folder for records, instead of the state folder.",
    examples: ["./records"],
  }),
  keep: Age.optional().meta({
    description:
      "Age after its last event at which a record of this config's sessions is removed. Default: never.",
    examples: ["90d"],
  }),
});
export type JournalSection = z.infer<typeof JournalSection>;

/** `cofferdam.yaml`: the project's config. */
export const ConfigFile = z.strictObject({
  version: z.literal(1).describe("The version of the format."),
  sandbox: SandboxSection.prefault({}).describe("The files that calls may use, and their sandbox."),
  shell: ShellSection.prefault({}).describe("Commands: their network, terminal and rules."),
  approval: ApprovalSection.prefault({}).describe(
    "The rules of tools, the people who decide, and how long a call waits.",
  ),
  web_fetch: WebFetchSection.prefault({}).describe("The tool `web_fetch`."),
  mcp: McpSection.prefault({}).describe("MCP servers that `cofferdam mcp --wrap` runs in a sandbox."),
  journal: JournalSection.prefault({}).describe("The record of calls."),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** An operator profile: the maximum of access. An omitted section has no effect, an empty list allows nothing. */
export const ProfileFile = z.strictObject({
  profile: Name.meta({ description: "The name of this profile.", examples: ["team"] }),
  description: z
    .string()
    .optional()
    .meta({ description: "A sentence that describes it.", examples: ["the permissions of our team"] }),
  extends: z
    .array(WrittenPath)
    .max(64)
    .optional()
    .meta({ description: "Other profiles that also apply, by name or file.", examples: [["strict"]] }),
  ...ProfileSections.shape,
  executed: ExecutedSection.optional().describe(
    "Files that programs outside the sandbox execute or load by themselves: calls cannot create or change them.",
  ),
  appeared: OperatorAppeared.optional().describe("The minimum action for such files that a call created."),
  approval: OperatorApprovalSection.optional().describe(
    "Rules that ask or deny, and modes that are allowed.",
  ),
  run_as: z.literal("not-root").optional().describe("Refuse to run anything as root."),
  expect: z
    .array(Example)
    .max(256)
    .optional()
    .meta({
      description:
        "Tests of the profile, checked whenever it is loaded. Each must `allow` or `deny` `read` or `write` with a `path`, `connect` with a `host` or `socket`, `env` with a `name`, `syscalls`, `devices` or `macos` with a `group`, `port` with a `port`.",
      examples: [[{ deny: "read", path: "${home}/.ssh/id_ed25519" }]],
    }),
});
export type ProfileFile = z.infer<typeof ProfileFile>;

/** The files that have a schema for editors. */
export const SCHEMAS = ["config", "profile"] as const;
export type SchemaName = (typeof SCHEMAS)[number];

/** JSON Schema (draft 7, which YAML editors read) of the file as a person writes it. */
export function jsonSchema(name: SchemaName): Readonly<Record<string, unknown>> {
  const [schema, title] =
    name === "config" ? [ConfigFile, "cofferdam.yaml"] : [ProfileFile, "a cofferdam operator profile"];
  return { ...z.toJSONSchema(schema, { io: "input", target: "draft-7", override: keepExamples }), title };
}

/** Examples show the written form, including values that are parsed into something else, where zod drops them. */
function keepExamples({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const examples: unknown = z.globalRegistry.get(zodSchema)?.["examples"];
  if (examples !== undefined) Object.assign(jsonSchema, { examples });
}

/** The text of the schema file that the package ships as `profiles/<name>.schema.json`. */
export function printJsonSchema(name: SchemaName): string {
  return `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
}

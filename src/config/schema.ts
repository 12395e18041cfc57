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

/**
 * `journal:` of cofferdam.yaml. `folder`: where records go, instead of the state folder. `keep`: records of this config's
 * sessions that were last written to so long ago are removed; left out, none ever is.
 */
export const JournalSection = z.strictObject({
  folder: WrittenPath.optional(),
  keep: Age.optional(),
});
export type JournalSection = z.infer<typeof JournalSection>;

/** `cofferdam.yaml`: what a project asks for. */
export const ConfigFile = z.strictObject({
  version: z.literal(1),
  sandbox: SandboxSection.prefault({}),
  shell: ShellSection.prefault({}),
  approval: ApprovalSection.prefault({}),
  web_fetch: WebFetchSection.prefault({}),
  mcp: McpSection.prefault({}),
  journal: JournalSection.prefault({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** An operator profile: what may be touched at most. A section left out says nothing, an empty list allows nothing. */
export const ProfileFile = z.strictObject({
  profile: Name,
  description: z.string().optional(),
  extends: z.array(WrittenPath).max(64).optional(),
  ...ProfileSections.shape,
  executed: ExecutedSection.optional(),
  appeared: OperatorAppeared.optional(),
  approval: OperatorApprovalSection.optional(),
  run_as: z.literal("not-root").optional(),
  expect: z.array(Example).max(256).optional(),
});
export type ProfileFile = z.infer<typeof ProfileFile>;

/** The files that have a schema for editors. */
export const SCHEMAS = ["config", "profile"] as const;
export type SchemaName = (typeof SCHEMAS)[number];

/** JSON Schema (draft 7, which YAML editors read) of what a person may write. */
export function jsonSchema(name: SchemaName): Readonly<Record<string, unknown>> {
  const [schema, title] =
    name === "config" ? [ConfigFile, "cofferdam.yaml"] : [ProfileFile, "a cofferdam operator profile"];
  return { ...z.toJSONSchema(schema, { io: "input", target: "draft-7" }), title };
}

/** The text of the schema file that the package ships as `profiles/<name>.schema.json`. */
export function printJsonSchema(name: SchemaName): string {
  return `${JSON.stringify(jsonSchema(name), null, 2)}\n`;
}

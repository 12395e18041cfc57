import type { Position } from "../errors.ts";
import type { AppearedPolicy } from "../policy/appeared-policy.ts";
import type { ApprovalSection, OperatorApproval } from "../policy/approval-section.ts";
import type { ExecutedNames } from "../profile/executed.ts";
import type { Layer } from "../profile/explain.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import type { McpSection } from "../tool/mcp-settings.ts";
import type { SandboxSection, ShellSection, WebFetchSection } from "../tool/settings.ts";

/** Where the config in force came from. */
export type ConfigOrigin =
  | { readonly kind: "named"; readonly file: AbsolutePath }
  | { readonly kind: "trusted"; readonly file: AbsolutePath }
  | { readonly kind: "default" };

/** Where records of calls go, and for how long they stay. */
export interface JournalPlace {
  /** The real folder, which may be missing yet; null for the one in the state folder. */
  readonly folder: AbsolutePath | null;
  /** The same as the config writes it, from `/`. */
  readonly written: AbsolutePath | null;
  /** Null: for ever. */
  readonly keepMs: number | null;
}

/** What the project asks for: parsed, checked, roots resolved. */
export interface Config {
  readonly origin: ConfigOrigin;
  /** Canonical folder of the config file, or where the supervisor was started. */
  readonly workspace: AbsolutePath;
  readonly roots: readonly Root[];
  readonly sandbox: SandboxSection;
  readonly shell: ShellSection;
  readonly approval: ApprovalSection;
  readonly webFetch: WebFetchSection;
  readonly mcp: McpSection;
  readonly journal: JournalPlace;
  readonly runtimes: readonly Runtime[];
  /** Where each part of the config stands, by a dotted path such as `shell.rules.2`. */
  readonly positions: ReadonlyMap<string, Position>;
}

/** What operators allow: every layer, and their meet. */
export interface Ceiling {
  readonly layers: readonly Layer[];
  /** What each layer is told by, as `profileLabel` says. */
  readonly labels: readonly string[];
  readonly profile: Profile;
  readonly approval: OperatorApproval;
  /** Files that programs of the host execute. */
  readonly executed: readonly ExecutedNames[];
  /** What is to become of them at least when a call made them. */
  readonly appeared: AppearedPolicy;
  readonly runAs: "any" | "not-root";
}

/** A config and the ceiling over it, as loaded from files. */
export interface Loaded {
  readonly config: Config;
  readonly ceiling: Ceiling;
  /** Every config and profile file that was read; those inside a root are masked read. */
  readonly files: readonly AbsolutePath[];
  /** Lines for stderr: which config and which ceiling are in force. */
  readonly notes: readonly string[];
}

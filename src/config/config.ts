import type { Position } from "../errors.ts";
import type { AppearedPolicy } from "../policy/appeared-policy.ts";
import type { ApprovalSection, OperatorApproval } from "../policy/approval-section.ts";
import type { ReviewerSection } from "../policy/reviewer-section.ts";
import type { ExecutedNames } from "../profile/executed.ts";
import type { Layer } from "../profile/explain.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import type { McpSection } from "../tool/mcp-settings.ts";
import type { SandboxSection, ShellSection, WebFetchSection } from "../tool/settings.ts";

/** The origin of the config in force. `untrusted`: nothing of the file is used; only a desk goes on without it. */
export type ConfigOrigin =
  | { readonly kind: "named"; readonly file: AbsolutePath }
  | { readonly kind: "trusted"; readonly file: AbsolutePath }
  | { readonly kind: "untrusted"; readonly file: AbsolutePath }
  | { readonly kind: "default" };

/** The place of call records, and how long they are kept. */
export interface JournalPlace {
  /** The real folder, which may not exist yet; null for the default in the state folder. */
  readonly folder: AbsolutePath | null;
  /** The same as written in the config, from `/`. */
  readonly written: AbsolutePath | null;
  /** Null: kept for ever. */
  readonly keepMs: number | null;
}

/** The reviewer of a config, as found on the machine. */
export interface ReviewerPlace {
  readonly section: ReviewerSection;
  /** The words that start it, its files by their real paths; empty for a service. */
  readonly command: readonly string[];
  /** The folder that it starts in; null for a service. */
  readonly start: AbsolutePath | null;
  /** Real files and folders that it reads, besides the runtimes. */
  readonly read: readonly AbsolutePath[];
  /** The real files that its command names. */
  readonly files: readonly AbsolutePath[];
  /** SHA-256 of its settings and those files. */
  readonly digest: string;
  /** True if its files are others than when the config was trusted: then it answers nothing. */
  readonly isChanged: boolean;
}

/** The project's config: parsed, checked, roots resolved. */
export interface Config {
  readonly origin: ConfigOrigin;
  /** Canonical folder of the config file, or the one where the supervisor was started. */
  readonly workspace: AbsolutePath;
  readonly roots: readonly Root[];
  readonly sandbox: SandboxSection;
  readonly shell: ShellSection;
  readonly approval: ApprovalSection;
  readonly webFetch: WebFetchSection;
  readonly mcp: McpSection;
  readonly journal: JournalPlace;
  readonly reviewer: ReviewerPlace | null;
  readonly runtimes: readonly Runtime[];
  /** Positions of the config's parts, by a dotted path such as `shell.rules.2`. */
  readonly positions: ReadonlyMap<string, Position>;
}

/** The limits set by operators: every layer, and their meet. */
export interface Ceiling {
  readonly layers: readonly Layer[];
  /** Labels of the layers, from `profileLabel`. */
  readonly labels: readonly string[];
  readonly profile: Profile;
  readonly approval: OperatorApproval;
  /** Files that programs of the host execute. */
  readonly executed: readonly ExecutedNames[];
  /** The minimum policy for such files if a call made them. */
  readonly appeared: AppearedPolicy;
  readonly runAs: "any" | "not-root";
}

/** SHA-256 of what was read. */
export interface ConfigDigests {
  /** The config file; null without one. */
  readonly config: string | null;
  /** The config file, and each profile that it names. */
  readonly own: string;
  /** The same, and every other operator profile. */
  readonly all: string;
}

/** The trust record of a config when it was loaded. A named config needs none. */
export interface LoadedTrust {
  /** SHA-256 of what it remembers; null without a record. */
  readonly record: string | null;
  /** True if it is about the config as it was loaded. */
  readonly isTrusted: boolean;
}

/** A config and the ceiling over it, as loaded from files. */
export interface LoadedConfig {
  readonly config: Config;
  readonly ceiling: Ceiling;
  /** Every config and profile file that was read; those inside a root are masked read. */
  readonly files: readonly AbsolutePath[];
  readonly digests: ConfigDigests;
  readonly trust: LoadedTrust;
  /** Every path whose change may change this: files as written and where they lead, and the operators' folders. */
  readonly watched: readonly AbsolutePath[];
  /** Lines for stderr: the config and the ceiling in force. */
  readonly notes: readonly string[];
}

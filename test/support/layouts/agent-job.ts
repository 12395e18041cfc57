/** What an agent of a test is to do. */
export interface AgentJob {
  /** The package, by its name or by the path of its entry. */
  readonly library: string;
  readonly config: string | null;
  readonly cwd: string;
  /** Calls of tools, one after another. */
  readonly calls: readonly (readonly [tool: string, input: unknown])[];
  /** Parts of the package that are loaded after that, as `library`. */
  readonly parts: readonly string[];
}

/** What came of it. */
export interface AgentReply {
  /** Why there was no supervisor. */
  refused: string | null;
  /** How each call ended, and what would have to be done instead where it was denied: `denied: do it outside the sandbox`. */
  readonly calls: string[];
  readonly loaded: string[];
}

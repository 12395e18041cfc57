/** One call of an agent. `{P}` in a command stands for the project's folder. */
export interface AgentStep {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A line that rules must ask about; `rule` is the pattern. Null: no rule does, and it fails in the sandbox. */
export interface DangerousStep {
  readonly script: string;
  readonly rule: string | null;
  /** The number of ordinary steps before it. */
  readonly after: number;
}

/** A session of an agent: 30 steps in a small project, written as agents write them. Each step succeeds. */
export interface AgentSession {
  readonly name: string;
  /** The project's files, committed before the session. */
  readonly files: Readonly<Record<string, string>>;
  /** Programs that not every machine has, each with a script that stands in for it where it is missing. */
  readonly standIns: Readonly<Record<string, string>>;
  readonly steps: readonly AgentStep[];
  /** A line of bash that succeeds in the project afterwards if the steps really did what they say. */
  readonly left: string;
  readonly dangerous: readonly DangerousStep[];
}

/** A line of bash, started in the project's folder. */
export function sh(script: string): AgentStep {
  return { tool: "shell", input: { script } };
}

/** A call of a file tool. */
export function file(tool: string, input: Readonly<Record<string, unknown>>): AgentStep {
  return { tool, input };
}

/** A line that publishes, removes folders, runs a download or wants more rights. */
export function danger(after: number, rule: string | null, script: string): DangerousStep {
  return { after, rule, script };
}

import { CofferdamError, visible } from "../errors.ts";
import { asJson, type Json } from "../policy/canonical-json.ts";
import type { Risk } from "../policy/risk.ts";
import { type Asking, asArguments } from "./ask.ts";
import type { Ask, FunctionTool, Permission, Requirement, ToolInput } from "./function-tool.ts";

/** A function tool whatever it takes and gives. Made by `defineTool`. */
export interface DefinedTool {
  readonly name: string;
  readonly version: string;
  readonly risk: Risk;
  /** One use of it. Throws `USAGE` for arguments that it does not take. */
  use(args: Json, around: Omit<ToolInput<never>, "input">): ToolUse;
}

/** One use of a function tool, its arguments checked. What a tool does not have is null. */
export interface ToolUse {
  /**
   * The arguments as the tool takes them, with what its schema fills in or changes: what rules, people and checks see.
   * Where the schema makes something of them that is no JSON, as they were given.
   */
  readonly args: Json;
  readonly check: (() => Ask | null) | null;
  readonly requirement: (() => Requirement | Promise<Requirement>) | null;
  /** Without a permission it counts as let pass by rules. */
  readonly run: (permission?: Permission) => unknown;
}

/** What a tool has: a check that is misspelt must not count as none. */
const KEYS: ReadonlySet<string> = new Set<keyof FunctionTool>([
  ...(["name", "version", "risk", "input", "checkApproval", "requireApproval", "run"] as const),
]);

/** A tool's name, as a model and rules write it: a colon would be read as something else. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.\-/]{0,127}$/;

/** A function of the host's own as a tool. Throws `USAGE` for a name that no tool can have. */
export function defineTool<Input, Output>(
  tool: FunctionTool<Input, Output> & Required<Pick<FunctionTool<Input, Output>, "input">>,
): DefinedTool;
export function defineTool<Output>(tool: Omit<FunctionTool<Json, Output>, "input">): DefinedTool;
export function defineTool(tool: FunctionTool<Json, unknown>): DefinedTool {
  const { name, version = "", risk = "write", checkApproval, requireApproval } = tool;
  const strange = Object.keys(tool).find((key) => !KEYS.has(key));
  if (strange !== undefined)
    throw new CofferdamError("USAGE", `${visible(strange)} is no part of a tool`, {
      hint: `a tool has ${[...KEYS].join(", ")}`,
    });
  if (!NAME.test(name))
    throw new CofferdamError("USAGE", `${visible(name)} can't be the name of a tool`, {
      hint: "use letters, digits, `_`, `-`, `.` and `/`, 128 at most",
    });
  return {
    name,
    version,
    risk,
    use: (raw, around) => {
      const input = readInput(tool, raw);
      const args = tool.input === undefined ? raw : (jsonOf(input) ?? raw);
      const given = { input, ...around };
      return {
        args,
        check:
          checkApproval === undefined
            ? null
            : () => checkApproval({ tool: name, args, metadata: around.metadata }),
        requirement:
          requireApproval === undefined
            ? null
            : () => (typeof requireApproval === "function" ? requireApproval(given) : requireApproval),
        run: (permission = { by: null }) => tool.run(given, permission),
      };
    },
  };
}

/** A function that was made to ask, by `requiresApproval`, as a tool. */
export function toolFrom(made: Asking<unknown>): DefinedTool {
  const { tool, checkApproval } = made;
  return defineTool({ name: tool, checkApproval, run: ({ input }) => made.runWith(asArguments(input)) });
}

function jsonOf(input: unknown): Json | undefined {
  try {
    return asJson(input);
  } catch {
    return undefined;
  }
}

function readInput({ name, input }: FunctionTool<Json, unknown>, args: Json): Json {
  const read = input?.safeParse(args);
  if (read === undefined) return args;
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place =
    issue === undefined || issue.path.length === 0 ? "" : ` at ${visible(issue.path.map(String).join("."))}`;
  throw new CofferdamError(
    "USAGE",
    `${visible(name)} does not take these arguments${place}: ${issue?.message ?? ""}`,
    {
      hint: "read the tool's schema",
    },
  );
}

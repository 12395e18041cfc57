import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { asJson, type Json } from "../policy/canonical-json.ts";
import { Risk } from "../policy/risk.ts";
import { type Asking, asArguments } from "./ask.ts";
import type { Ask, FunctionTool, Permission, Requirement, ToolInput } from "./function-tool.ts";
import { fillTemplate, hasPlace, type ProgramTool, ToolNeeds } from "./program-tool.ts";
import { wrongInput } from "./wrong-input.ts";

/** A tool of the host's own, whatever it takes and gives. Made by `defineTool`. */
export interface DefinedTool {
  /** What a program needs; null for a function, which runs in this process. */
  readonly needs: ToolNeeds | null;
  readonly name: string;
  readonly version: string;
  readonly risk: Risk;
  readonly description: string;
  /** Null where it takes whatever it is given. */
  readonly input: z.ZodType | null;
  /** One use of it. Throws `USAGE` for arguments that it does not take. */
  use(args: Json, around: Omit<ToolInput<never>, "input">): ToolUse;
}

/** One use of a tool, its arguments checked. What a tool does not have is null. */
export interface ToolUse {
  /**
   * The arguments as the tool takes them, with what its schema fills in or changes: what rules, people and checks see.
   * Where the schema makes something of them that is no JSON, as they were given.
   */
  readonly args: Json;
  readonly check: (() => Ask | null) | null;
  readonly requirement: (() => Requirement | Promise<Requirement>) | null;
  /** Of a function; without a permission it counts as let pass by rules. */
  readonly run: ((permission?: Permission) => unknown) | null;
  /** The words of a program. */
  readonly argv: (() => readonly string[]) | null;
}

/** What a tool has: a check that is misspelt must not count as none. */
const KEYS: ReadonlySet<string> = new Set<keyof FunctionTool | keyof ProgramTool>([
  ...(["name", "version", "risk", "description", "input"] as const),
  ...(["checkApproval", "requireApproval", "run", "command", "needs"] as const),
]);

/** A tool's name, as a model and rules write it: a colon would be read as something else. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.\-/]{0,127}$/;

/** What is defined, function or program. */
type Definition = Omit<FunctionTool<Json>, "run"> & Partial<FunctionTool<Json> & ProgramTool<Json>>;

/**
 * A tool of the host's own: a function that runs in this process (`run`), or a program that runs in a sandbox made from
 * what it needs (`command`). Throws `USAGE` for a name that no tool can have, and for what is neither or both.
 */
export function defineTool<Input, Output>(
  tool: FunctionTool<Input, Output> & Required<Pick<FunctionTool<Input, Output>, "input">>,
): DefinedTool;
export function defineTool<Output>(tool: Omit<FunctionTool<Json, Output>, "input">): DefinedTool;
export function defineTool<Input>(
  tool: ProgramTool<Input> & Required<Pick<ProgramTool<Input>, "input">>,
): DefinedTool;
export function defineTool(tool: Omit<ProgramTool<Json>, "input">): DefinedTool;
export function defineTool(tool: Definition): DefinedTool {
  const { name, version = "", risk = "write", checkApproval, requireApproval, run, command } = tool;
  assertTool(tool);
  return {
    name,
    version,
    risk,
    description: tool.description ?? "",
    input: tool.input ?? null,
    needs: command === undefined ? null : (tool.needs ?? {}),
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
        run: run === undefined ? null : (permission = { by: null }) => run(given, permission),
        argv:
          command === undefined
            ? null
            : () => (typeof command === "function" ? command(input) : fillTemplate(command, args)),
      };
    },
  };
}

function assertTool(tool: Definition): void {
  const strange = Object.keys(tool).find((key) => !KEYS.has(key));
  if (strange !== undefined)
    throw new CofferdamError("USAGE", `${visible(strange)} is no part of a tool`, {
      hint: `a tool has ${[...KEYS].join(", ")}`,
    });
  if (!NAME.test(tool.name))
    throw new CofferdamError("USAGE", `${visible(tool.name)} can't be the name of a tool`, {
      hint: "use letters, digits, `_`, `-`, `.` and `/`, 128 at most",
    });
  if ((tool.run === undefined) === (tool.command === undefined))
    throw new CofferdamError("USAGE", `${visible(tool.name)} is neither a function nor a program, or both`, {
      hint: "give it `run` or `command`",
    });
  const { command, risk } = tool;
  if (risk !== undefined && !Risk.safeParse(risk).success)
    throw new CofferdamError("USAGE", `${visible(tool.name)} has a risk that no tool has`, {
      hint: `write one of ${Risk.options.join(", ")} as its \`risk\``,
    });
  if (typeof command === "object" && hasPlace(command[0]))
    throw new CofferdamError("USAGE", `${visible(tool.name)} lets an argument choose the program`, {
      hint: "write the program itself as the first word; a tool for any command is `shell`",
    });
  const needs = ToolNeeds.optional().safeParse(tool.needs);
  if (!needs.success || (tool.needs !== undefined && tool.run !== undefined))
    throw new CofferdamError("USAGE", `${visible(tool.name)} needs what no tool can`, {
      hint: '`needs` of a program is `{ roots?: { NAME: "read" | "write" }, network?, ports?, cwd? }`',
    });
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

function readInput({ name, input }: Pick<Definition, "name" | "input">, args: Json): Json {
  const read = input?.safeParse(args);
  if (read === undefined) return args;
  if (read.success) return read.data;
  throw wrongInput(name, read.error, "read the tool's schema");
}

import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { asJson, type Json } from "../policy/canonical-json.ts";
import { Risk } from "../policy/risk.ts";
import { type AskingFunction, asArguments } from "./ask.ts";
import type { Ask, FunctionTool, Permission, Requirement, ToolInput } from "./function-tool.ts";
import { fillTemplate, hasPlace, type ProgramTool, ToolNeeds } from "./program-tool.ts";
import { wrongInput } from "./wrong-input.ts";

/** A tool of the host, for any input and output. Made by `defineTool`. */
export interface DefinedTool {
  /** The needs of a program; null for a function, which runs in this process. */
  readonly needs: ToolNeeds | null;
  readonly name: string;
  readonly version: string;
  readonly risk: Risk;
  readonly description: string;
  /** Null if any input is accepted. */
  readonly input: z.ZodType | null;
  /** @internal One use of the tool. Throws `USAGE` for invalid arguments. */
  use(args: Json, around: Omit<ToolInput<never>, "input">): ToolUse;
}

/** One use of a tool, with checked arguments. Parts that the tool does not have are null. */
export interface ToolUse {
  /**
   * The arguments after the schema's defaults and changes, as rules, people and checks see them. The given arguments,
   * if the schema returns a value that is not JSON.
   */
  readonly args: Json;
  readonly check: (() => Ask | null) | null;
  readonly requirement: (() => Requirement | Promise<Requirement>) | null;
  /** Runs a function; a call without a permission counts as allowed by rules. */
  readonly run: ((permission?: Permission) => unknown) | null;
  /** The words of a program. */
  readonly argv: (() => readonly string[]) | null;
}

/** Known keys of a definition: a misspelt check must not count as a missing one. */
const KEYS: ReadonlySet<string> = new Set<keyof FunctionTool | keyof ProgramTool>([
  ...(["name", "version", "risk", "description", "input"] as const),
  ...(["checkApproval", "requireApproval", "run", "command", "needs"] as const),
]);

/** A tool's name, as models and rules write it. A colon is excluded: it has another meaning in rules. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.\-/]{0,127}$/;

type Definition = Omit<FunctionTool<Json>, "run"> & Partial<FunctionTool<Json> & ProgramTool<Json>>;

/**
 * A tool of the host: a function that runs in this process (`run`), or a program in a sandbox made from its needs
 * (`command`). Throws `USAGE` for an invalid name, and for a definition that is neither or both.
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
    throw new CofferdamError("USAGE", `unknown key ${visible(strange)} of a tool`, {
      hint: `the keys are ${[...KEYS].join(", ")}`,
    });
  if (!NAME.test(tool.name))
    throw new CofferdamError("USAGE", `invalid tool name ${visible(tool.name)}`, {
      hint: "write at most 128 letters, digits, `_`, `-`, `.` and `/`",
    });
  if ((tool.run === undefined) === (tool.command === undefined))
    throw new CofferdamError("USAGE", `${visible(tool.name)} needs exactly one of \`run\` and \`command\``, {
      hint: "write `run` for a function, or `command` for a program",
    });
  const { command, risk } = tool;
  if (risk !== undefined && !Risk.safeParse(risk).success)
    throw new CofferdamError("USAGE", `${visible(tool.name)} has an invalid \`risk\``, {
      hint: `write one of ${Risk.options.join(", ")} as its \`risk\``,
    });
  if (typeof command === "object" && hasPlace(command[0]))
    throw new CofferdamError("USAGE", `${visible(tool.name)} lets an argument choose the program`, {
      hint: "write the program as the first word; to run any command, use `shell`",
    });
  const needs = ToolNeeds.optional().safeParse(tool.needs);
  if (!needs.success || (tool.needs !== undefined && tool.run !== undefined))
    throw new CofferdamError("USAGE", `${visible(tool.name)} has invalid \`needs\``, {
      hint: 'only for a program, write `{ roots?: { NAME: "read" | "write" }, network?, ports?, cwd? }`',
    });
}

/** The tool made from a function that `requiresApproval` returned. */
export function toolFrom(made: AskingFunction<unknown>): DefinedTool {
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
  if (input === undefined || read === undefined) return args;
  if (read.success) return read.data;
  throw wrongInput(name, read.error, input, args);
}

import type { Json } from "../policy/canonical-json.ts";
import type { ApprovalContext, Ask } from "./function-tool.ts";

/** Arguments by name. */
export type Arguments = Readonly<Record<string, Json>>;

/** Options of `simpleApprovalRequest` and `requiresApproval`. */
export interface AskOptions {
  /** The question, as a text or made from the arguments. Default: the tool's name and its arguments. */
  readonly description?: string | ((args: Arguments) => string);
  /** Names of arguments that are neither shown nor part of a session approval. */
  readonly excludeKeys?: readonly string[];
  /** The content of a session approval, made from the arguments; takes precedence over `excludeKeys`. */
  readonly payload?: (args: Arguments) => Json;
}

/** The approval request for one use of a tool. It shows and covers all arguments that are not excluded. */
export function simpleApprovalRequest(tool: string, args: Arguments, options: AskOptions = {}): Ask {
  const { description, excludeKeys = [], payload } = options;
  const shown = Object.fromEntries(Object.entries(args).filter(([name]) => !excludeKeys.includes(name)));
  const hidden = Object.fromEntries(
    excludeKeys.filter((name) => name in args).map((name) => [name, "[not shown]"]),
  );
  const said = Object.entries(shown).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return {
    description:
      typeof description === "string" ? description : (description?.(args) ?? `${tool}(${said.join(", ")})`),
    payload: payload?.(args) ?? shown,
    ...(excludeKeys.length === 0 ? {} : { displayArgs: { ...shown, ...hidden } }),
  };
}

/** The mark of a function that asks. A method, so that functions with narrower arguments are assignable. */
export interface AskingFunction<Output> {
  readonly tool: string;
  readonly checkApproval: (context: ApprovalContext) => Ask;
  runWith(args: Arguments): Output;
}

/** A function that asks for approval when it is run as a tool, and can still be called directly. */
export type ApprovalAware<Given extends Arguments, Output> = ((args: Given) => Output) &
  AskingFunction<Output>;

/**
 * Returns a copy of the function that a gate asks about, under the same name. A direct call runs without asking. The
 * given function is not changed.
 */
export function requiresApproval<Given extends Arguments, Output>(
  run: (args: Given) => Output,
  options: AskOptions = {},
): ApprovalAware<Given, Output> {
  const tool = run.name;
  const asking: AskingFunction<Output> = {
    tool,
    checkApproval: ({ args }) => simpleApprovalRequest(tool, asArguments(args), options),
    runWith: run,
  };
  return Object.assign((args: Given) => run(args), asking);
}

/** Arguments by name; any other value becomes the one argument `input`. */
export function asArguments(args: Json): Arguments {
  const isByName = typeof args === "object" && args !== null && !Array.isArray(args);
  return isByName ? Object.fromEntries(Object.entries(args)) : { input: args };
}

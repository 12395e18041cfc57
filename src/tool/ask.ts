import type { Json } from "../policy/canonical-json.ts";
import type { ApprovalContext, Ask } from "./function-tool.ts";

/** Arguments by name. */
export type Arguments = Readonly<Record<string, Json>>;

/** How `simpleApprovalRequest` and `requiresApproval` put their question. */
export interface AskOptions {
  /** What is asked, as a text or made from the arguments; without it, the tool's name with what it is called with. */
  readonly description?: string | ((args: Arguments) => string);
  /** Names of arguments that no question shows, and that a yes for the session does not depend on. */
  readonly excludeKeys?: readonly string[];
  /** What a yes for the session covers, made from the arguments; counts before `excludeKeys`. */
  readonly payload?: (args: Arguments) => Json;
}

/** The question about one use of a tool: its arguments, but those that are excluded, are what is shown and covered. */
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

/** What makes a function a tool that asks. As a method, so that a function that takes certain arguments fits. */
export interface Asking<Output> {
  readonly tool: string;
  readonly checkApproval: (context: ApprovalContext) => Ask;
  runWith(args: Arguments): Output;
}

/** A function that asks before it is run as a tool, and that can be called as before. */
export type ApprovalAware<Given extends Arguments, Output> = ((args: Given) => Output) & Asking<Output>;

/**
 * The function as one that a gate asks about, under its own name. Called directly it runs as it is. The function itself
 * is left as it was.
 */
export function requiresApproval<Given extends Arguments, Output>(
  run: (args: Given) => Output,
  options: AskOptions = {},
): ApprovalAware<Given, Output> {
  const tool = run.name;
  const asking: Asking<Output> = {
    tool,
    checkApproval: ({ args }) => simpleApprovalRequest(tool, asArguments(args), options),
    runWith: run,
  };
  return Object.assign((args: Given) => run(args), asking);
}

/** Arguments by name; what has no names is the one argument `input`. */
export function asArguments(args: Json): Arguments {
  const isByName = typeof args === "object" && args !== null && !Array.isArray(args);
  return isByName ? Object.fromEntries(Object.entries(args)) : { input: args };
}

import {
  type ApprovalContext,
  type ApprovalHandler,
  type Ask,
  createGate,
  defineTool,
  toolResult,
} from "cofferdam/gate";

/** A tool of some framework; it may have a check of its own. */
export interface TheirTool {
  readonly name: string;
  readonly execute: (args: unknown) => unknown;
  readonly checkApproval?: (context: ApprovalContext) => Ask | null;
}

/** Puts their tools behind a gate. A tool's check reads the framework's data about a call as `metadata`. */
export function gated(tools: readonly TheirTool[], handler: ApprovalHandler) {
  const guarded = createGate({ handler }).guard(
    tools.map(({ name, execute, checkApproval }) =>
      defineTool({
        name,
        ...(checkApproval === undefined ? {} : { checkApproval }),
        run: ({ input }) => execute(input),
      }),
    ),
  );
  return async (name: string, args: unknown, metadata: Readonly<Record<string, unknown>>) =>
    toolResult(await guarded.call(name, args, { metadata }));
}

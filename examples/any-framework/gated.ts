import {
  type ApprovalContext,
  type ApprovalHandler,
  type Ask,
  createGate,
  defineTool,
  toolResult,
} from "cofferdam";

/** A tool as some framework has it; it may know by itself what it would ask about. */
export interface TheirTool {
  readonly name: string;
  readonly execute: (args: unknown) => unknown;
  readonly checkApproval?: (context: ApprovalContext) => Ask | null;
}

/** Calls of their tools behind a gate. Whatever the framework knows of a call, a tool's check reads as `metadata`. */
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

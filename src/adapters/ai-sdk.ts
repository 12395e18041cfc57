// The entry `cofferdam/ai-sdk`: tools and a sandbox for the AI SDK.
import "../host/require-node.ts";

export { sandboxSession } from "./ai-sdk/sandbox-session.ts";
export {
  type ApprovalCheck,
  type CofferdamTools,
  type CofferdamToolsOptions,
  cofferdamTools,
  type StepBegun,
} from "./ai-sdk/tools.ts";

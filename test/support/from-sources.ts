/**
 * Given to `node --import`: names of this package lead to its sources, as the tests' own configuration has it. So an
 * example can be run as a process of its own without anything being built.
 */
import { registerHooks } from "node:module";

const ENTRIES: Readonly<Record<string, string>> = {
  cofferdam: "../../src/index.ts",
  "cofferdam/compat": "../../src/entry/compat.ts",
  "cofferdam/gate": "../../src/entry/gate.ts",
  "cofferdam/langchain": "../../src/adapters/langchain.ts",
  "cofferdam/mcp": "../../src/mcp/index.ts",
  "cofferdam/ai-sdk": "../../src/adapters/ai-sdk.ts",
  "cofferdam/http": "../../src/http/index.ts",
  "cofferdam/openai-agents": "../../src/adapters/openai-agents.ts",
  "cofferdam/telegram": "../../src/channel/telegram.ts",
  "cofferdam/webhook": "../../src/entry/webhook.ts",
};

registerHooks({
  resolve: (specifier, context, next) => {
    const own = ENTRIES[specifier];
    return own === undefined ? next(specifier, context) : next(new URL(own, import.meta.url).href, context);
  },
});

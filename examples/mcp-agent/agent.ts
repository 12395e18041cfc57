import { Client, type Transport } from "@modelcontextprotocol/client";

/** The next step of a model: a tool call, or a final text. */
export type Step =
  | { readonly tool: string; readonly args: Record<string, string | readonly string[]> }
  | { readonly text: string };
/** Decides the next step from the results so far; a real one would ask a provider. */
export type Model = (tools: readonly string[], told: readonly string[]) => Step;
/** Shows a question to the person at the agent, and returns one of its answers. */
export type Person = (question: string, answers: readonly string[]) => string;

/** An agent with the tools of an MCP server, here `cofferdam mcp`. It has no code about sandboxes. */
export async function work(server: Transport, model: Model, person: Person): Promise<string> {
  const client = new Client(
    { name: "mcp-agent", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const schema = "requestedSchema" in params ? params.requestedSchema.properties["answer"] : undefined;
    const answers = schema !== undefined && "enum" in schema ? schema.enum : [];
    return { action: "accept", content: { answer: person(params.message, answers) } };
  });
  await client.connect(server);
  try {
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    const told: string[] = [];
    for (;;) {
      const step = model(tools, told);
      if ("text" in step) return step.text;
      const { content } = await client.callTool({ name: step.tool, arguments: { ...step.args } });
      told.push(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
    }
  } finally {
    await client.close();
  }
}

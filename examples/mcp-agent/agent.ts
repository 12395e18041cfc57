import { Client, type Transport } from "@modelcontextprotocol/client";

/** What a model wants next: a tool to be called, or to say something and be done. */
export type Step =
  | { readonly tool: string; readonly args: Record<string, string | readonly string[]> }
  | { readonly text: string };
/** Anything that decides by what it has been told so far; a real one would ask a provider. */
export type Model = (tools: readonly string[], told: readonly string[]) => Step;
/** Whoever sits at the agent: shown a question, and asked for one of its answers. */
export type Person = (question: string, answers: readonly string[]) => string;

/** An agent that knows nothing of walls: its tools are those of an MCP server, here `cofferdam mcp`. */
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

/**
 * An agent of somebody's who has installed the package: makes one supervisor, has it do calls that attack what it is made of, and then
 * what loads more of it in the same process. It is copied to where it is run, and stands alone.
 */
import { pathToFileURL } from "node:url";
import type { AgentJob, AgentReply } from "./agent-job.ts";

interface Library {
  createSupervisor(options: object): Promise<AsyncDisposable & Supervisor>;
}

interface Supervisor {
  session(options: object): AsyncDisposable & {
    call(tool: string, input: unknown): Promise<{ kind: string; denials?: readonly { remedy: string }[] }>;
  };
}

const job: AgentJob = JSON.parse(process.argv[2] ?? "");
const reply: AgentReply = { refused: null, calls: [], loaded: [] };

try {
  const library: Library = await load(job.library);
  await using supervisor = await library.createSupervisor({
    cwd: job.cwd,
    ...(job.config === null ? {} : { config: job.config }),
  });
  await using session = supervisor.session({ caller: "person", handler: () => ({ status: "rejected" }) });
  for (const [tool, input] of job.calls)
    reply.calls.push(
      await session.call(tool, input).then(
        ({ kind, denials = [] }) => [kind, ...denials.map(({ remedy }) => remedy)].join(": "),
        (error: unknown) => String(error),
      ),
    );
  for (const part of job.parts)
    reply.loaded.push(
      await load(part).then(
        () => "loaded",
        (error: unknown) => String(Reflect.get(Object(error), "code")),
      ),
    );
} catch (error) {
  reply.refused = `${String(Reflect.get(Object(error), "code"))}: ${String(error)} (${String(Reflect.get(Object(error), "hint"))})`;
}
process.stdout.write(`${JSON.stringify(reply)}\n`);

function load<Loaded>(name: string): Promise<Loaded> {
  return import(name.startsWith("/") ? pathToFileURL(name).href : name);
}

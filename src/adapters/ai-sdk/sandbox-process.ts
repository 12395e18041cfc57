import { Readable } from "node:stream";
import type {
  Experimental_SandboxProcess as Process,
  Experimental_SandboxSession as SandboxSession,
} from "ai";
import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { AnySignal } from "../../host/any-signal.ts";
import type { ProgramOutcome } from "../../supervisor/outcome.ts";
import type { Session } from "../../supervisor/session.ts";
import { quarantinedText, toolResult } from "../../supervisor/tool-result.ts";
import type { ShellInput } from "../../tool/call.ts";
import { Pipe } from "./pipe.ts";
import { stoppedError, unlessAborted } from "./sandbox-errors.ts";

type RunOptions = Parameters<SandboxSession["run"]>[0];
type SpawnOptions = RunOptions & { readonly stdin?: boolean };
type Spawned = Process & { readonly stdin: WritableStream<Uint8Array> };

/** The status of what signal 9 ended, as a shell tells it. */
const KILLED = 128 + 9;

/** Runs a line of bash to its end, and holds what it said: where that is too much, the start and the end of it. */
export async function runCommand(session: Session, options: RunOptions): Promise<z.infer<typeof Said>> {
  const { abortSignal: signal } = options;
  const outcome = await unlessAborted(signal, () =>
    session.call("shell", inputOf(options), signal === undefined ? {} : { signal }),
  );
  signal?.throwIfAborted();
  if ("stdout" in outcome) {
    const said = Said.parse(toolResult(outcome));
    return { ...said, stderr: `${said.stderr}${quarantinedText(outcome) ?? ""}` };
  }
  return { exitCode: codeOf(outcome), stdout: "", stderr: "reason" in outcome ? `${outcome.reason}\n` : "" };
}

/** What a model would be told, under the names that the framework has for it. */
const Said = z
  .object({ output: z.object({ status: z.number(), stdout: z.string(), stderr: z.string() }) })
  .transform(({ output: { status, stdout, stderr } }) => ({ exitCode: status, stdout, stderr }));

/**
 * Starts lines of bash. The gate is asked meanwhile: a call that may not run ends its streams and `wait` with the reason.
 */
export function spawnCommand(session: Session): SandboxSession["spawn"] {
  function spawn(options: SpawnOptions & { readonly stdin: true }): Promise<Spawned>;
  function spawn(options: SpawnOptions & { readonly stdin?: false }): Promise<Process>;
  function spawn(options: SpawnOptions): Promise<Process | Spawned>;
  async function spawn(options: SpawnOptions): Promise<Process | Spawned> {
    return started(session, options);
  }
  return spawn;
}

function started(session: Session, options: SpawnOptions): Process | Spawned {
  const input = inputOf(options);
  const [stdout, stderr, stdin] = [new Pipe(), new Pipe(), options.stdin === true ? new Pipe() : null];
  const [out, err, read] = [stdout.source(), stderr.source(), stdin?.drain()];
  const kill = new AbortController();
  const made = async (): Promise<{ exitCode: number }> => {
    using stop = new AnySignal(kill.signal, options.abortSignal);
    try {
      const outcome = await session.call("shell", input, {
        signal: stop.signal,
        sinks: { stdout: out.put, stderr: err.put },
        ...(read === undefined ? {} : { stdin: Readable.from(read.chunks, { objectMode: false }) }),
      });
      options.abortSignal?.throwIfAborted();
      const exitCode = codeOf(outcome);
      const taken = quarantinedText(outcome);
      if (taken !== null) await err.put(Buffer.from(taken));
      out.end();
      err.end();
      return { exitCode };
    } catch (cause) {
      const why: unknown = options.abortSignal?.aborted === true ? options.abortSignal.reason : cause;
      out.fail(why);
      err.fail(why);
      // Killed before it was there: nobody asks any more what kept it.
      if (kill.signal.aborted) return { exitCode: KILLED };
      throw why;
    } finally {
      read?.stop();
    }
  };
  const ended = made();
  // Whoever waits for it is told how it ended; nobody may be waiting.
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  return {
    stdout: stdout.readable,
    stderr: stderr.readable,
    ...(stdin === null ? {} : { stdin: stdin.writable }),
    wait: () => ended,
    kill: () => {
      kill.abort();
      return over;
    },
  };
}

function inputOf({ command, workingDirectory, env = {} }: RunOptions): ShellInput {
  const [name] = Object.keys(env);
  if (name !== undefined)
    throw new CofferdamError("USAGE", `a command can't be given variables, such as ${visible(name)}`, {
      hint: "set them in the config: `sandbox.env.set`, or let them in: `sandbox.env.pass`",
    });
  return { script: command, ...(workingDirectory === undefined ? {} : { cwd: workingDirectory }) };
}

/** The status of what ran. Throws what kept it from running. */
function codeOf(outcome: ProgramOutcome): number {
  if (outcome.kind === "denied" || outcome.kind === "pending") throw stoppedError("shell", outcome);
  return outcome.code;
}

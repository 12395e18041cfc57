import { Readable } from "node:stream";
import type {
  Experimental_SandboxProcess as Process,
  Experimental_SandboxSession as SandboxSession,
} from "ai";
import { z } from "zod";
import { besideOutput as beside, toolResult } from "../../call/tool-result.ts";
import type { ProgramOutcome } from "../../decide/outcome.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { AnySignal } from "../../host/any-signal.ts";
import type { Session } from "../../session/session.ts";
import type { ShellInput } from "../../tool/call.ts";
import { Pipe } from "./pipe.ts";
import { stoppedError, unlessAborted } from "./sandbox-errors.ts";

type RunOptions = Parameters<SandboxSession["run"]>[0];
type SpawnOptions = RunOptions & { readonly stdin?: boolean };
type Spawned = Process & { readonly stdin: WritableStream<Uint8Array> };

/** Exit status of a process ended by signal 9, as a shell reports it. */
const KILLED = 128 + 9;

/** Runs a line of bash to its end and returns its output: the start and the end if there is too much. */
export async function runCommand(session: Session, options: RunOptions): Promise<z.infer<typeof Said>> {
  const { abortSignal: signal } = options;
  const outcome = await unlessAborted(signal, () =>
    session.call("shell", inputOf(options), signal === undefined ? {} : { signal }),
  );
  signal?.throwIfAborted();
  if ("stdout" in outcome) {
    const said = Said.parse(toolResult(outcome));
    return { ...said, stderr: `${said.stderr}${beside(outcome) ?? ""}` };
  }
  return { exitCode: codeOf(outcome), stdout: "", stderr: "reason" in outcome ? `${outcome.reason}\n` : "" };
}

/** The model's view of a result, under the framework's names. */
const Said = z
  .object({ output: z.object({ status: z.number(), stdout: z.string(), stderr: z.string() }) })
  .transform(({ output: { status, stdout, stderr } }) => ({ exitCode: status, stdout, stderr }));

/** Starts a line of bash and asks the gate. If it may not run, its streams and `wait` fail with the reason. */
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
      const said = beside(outcome);
      if (said !== null) await err.put(Buffer.from(said));
      out.end();
      err.end();
      return { exitCode };
    } catch (cause) {
      const why: unknown = options.abortSignal?.aborted === true ? options.abortSignal.reason : cause;
      out.fail(why);
      err.fail(why);
      // Killed before it started: nobody needs the reason any longer.
      if (kill.signal.aborted) return { exitCode: KILLED };
      throw why;
    } finally {
      read?.stop();
    }
  };
  const ended = made();
  // `wait` reports how it ended, but may have no caller.
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
    throw new CofferdamError("USAGE", `a command can't have its own variables, such as ${visible(name)}`, {
      hint: "set them in the config with `sandbox.env.set`, or pass them with `sandbox.env.pass`",
    });
  return { script: command, ...(workingDirectory === undefined ? {} : { cwd: workingDirectory }) };
}

/** The exit status of the program. Throws the reason if it did not run. */
function codeOf(outcome: ProgramOutcome): number {
  if (outcome.kind === "denied" || outcome.kind === "pending") throw stoppedError("shell", outcome);
  if ("error" in outcome) throw outcome.error;
  return outcome.code;
}

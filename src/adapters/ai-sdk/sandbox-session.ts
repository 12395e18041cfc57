import type { Experimental_SandboxSession } from "ai";
import { assertOptions } from "../../supervisor/options.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../../supervisor/session-options.ts";
import { type CallsOf, FrameworkCalls } from "../framework-calls.ts";
import { SandboxFiles } from "./sandbox-files.ts";
import { runCommand, spawnCommand } from "./sandbox-process.ts";

const DESCRIPTION =
  "Files and commands inside an operating-system sandbox. Commands are lines of bash. Relative paths begin in the folder that commands start in. What is not allowed fails with its reason: read it, and do something else.";

/**
 * Our walls as the sandbox of the AI SDK: `experimental_sandbox: sandboxSession(supervisor)`. Files go through the file tools,
 * commands through the shell, and each through the gate: who is asked is what the session says, and where nobody can be, it is a
 * no. What was denied, left open or can't be had is thrown as a `CofferdamError` with its code: `DENIED`, `APPROVAL_DENIED`,
 * `APPROVAL_PENDING`, `FILE_WRONG_KIND`; `USAGE` for variables of a command, which only the config sets, and for bytes to write
 * that are no text. A session that it makes of a supervisor, with these options, ends when it is disposed of. Throws `USAGE` for
 * options beside a session, and for those that no session has.
 */
export function sandboxSession(
  of: CallsOf,
  options: SessionOptions = {},
): Experimental_SandboxSession & AsyncDisposable {
  assertOptions("sandboxSession", SESSION_OPTIONS, options);
  const calls = new FrameworkCalls(of, "ai-sdk", options);
  const { session } = calls;
  const files = new SandboxFiles(session);
  return {
    description: DESCRIPTION,
    readFile: (options) => files.stream(options),
    readBinaryFile: (options) => files.bytes(options),
    readTextFile: (options) => files.text(options),
    writeFile: (options) => files.writeStream(options),
    writeBinaryFile: (options) => files.writeBytes(options),
    writeTextFile: (options) => files.writeText(options),
    stat: (options) => files.stat(options),
    listDirectory: (options) => files.list(options),
    deleteFile: (options) => files.remove(options),
    spawn: spawnCommand(session),
    run: (options) => runCommand(session, options),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

import type { Experimental_SandboxSession } from "ai";
import { SESSION_OPTIONS, type SessionOptions } from "../../call/session-options.ts";
import { assertOptions } from "../../policy/options.ts";
import { type CallsOf, FrameworkCalls } from "../framework-calls.ts";
import { SandboxFiles } from "./sandbox-files.ts";
import { runCommand, spawnCommand } from "./sandbox-process.ts";

const DESCRIPTION =
  "Files and commands in an operating-system sandbox. Commands are bash lines. Relative paths begin in the start folder of commands. A denied action fails with its reason: read it, and do something else.";

/**
 * A session as the sandbox of the AI SDK: `experimental_sandbox: sandboxSession(supervisor)`. Files go through the file
 * tools and commands through the shell, each through the gate. The session decides who is asked; if nobody can be
 * asked, the call is rejected. Throws a `CofferdamError` for a call that was denied, left open or is unavailable:
 * `DENIED`, `APPROVAL_DENIED`, `APPROVAL_PENDING`, `FILE_WRONG_KIND`. Throws `USAGE` for variables of a command, which
 * only the config sets, for bytes to write that are no text, for options beside a session, and for unknown options. A
 * session made from a supervisor, with these options, ends when it is closed.
 */
export function sandboxSession(
  of: CallsOf,
  options: SessionOptions = {},
): Experimental_SandboxSession & AsyncDisposable & { close(): Promise<void> } {
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
    close: () => calls[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

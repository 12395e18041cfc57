import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { checkoutFor, compileCacheFor, type Person } from "./people.ts";
import type { Place } from "./place.ts";

/** The words that start the command line as a person, as it is built. */
export function cofferdamFor(person: Person): readonly [string, ...string[]] {
  const { node, folder } = checkoutFor(person);
  return [node, join(folder, "dist/cli/main.js")];
}

/** How a command is started. */
export interface Started {
  /** A program and its words to start it with. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Who starts it, where that is not the person: then `under` has to change the user. */
  readonly startedBy?: Person;
  /** Its descriptors from the fourth on. */
  readonly inherits?: ReadonlyMap<number, number>;
}

/** Starts a command in a session of its own, in the writable root of a place, as the person whose place it is. */
export function startCommand(
  place: Place,
  words: readonly string[],
  { under = [], env = {}, startedBy = place.person, inherits = new Map() }: Started = {},
): ChildProcess {
  const { person } = place;
  const [program = "", ...rest] = [...under, ...cofferdamFor(person), ...words];
  const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "pipe"];
  for (const [fd, source] of inherits) stdio[fd] = source;
  return spawn(program, rest, {
    ...startedBy.runAs,
    cwd: place.ws,
    detached: true,
    env: environmentIn(place, env),
    stdio: Array.from(stdio, (kind) => kind ?? "ignore"),
  });
}

/** The environment of commands in a place. */
export function environmentIn(
  place: Place,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    XDG_STATE_HOME: place.state,
    NODE_COMPILE_CACHE: compileCacheFor(place.person),
    ...env,
  };
}

/** How a process ended, and whether that was by the signal itself, which shells tell as the same status. */
export interface How {
  readonly status: number;
  readonly isBySignal: boolean;
}

/** Waits for the end of a process, not for that of its streams. */
export function endingOf(child: ChildProcess): Promise<How> {
  return new Promise((resolve) =>
    child.once("exit", (code, signal) =>
      resolve(
        signal === null
          ? { status: code ?? -1, isBySignal: false }
          : { status: 128 + constants.signals[signal], isBySignal: true },
      ),
    ),
  );
}

/** What a process said until its streams were closed. */
export async function saidBy(
  child: ChildProcess,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return said;
}

import { readFileSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../profile/path.ts";
import type { Before } from "./appeared.ts";
import { namesIn } from "./names-in.ts";
import { isRunning, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeFile, removeIfAbandoned, UNFINISHED, writeWhole } from "./state-files.ts";

const Path = z.custom<AbsolutePath>((given) => typeof given === "string" && isAbsolutePath(given));

const Entry = z.strictObject({
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  sessionId: z.string(),
  callId: z.string(),
  tool: z.string(),
  workspace: z.string(),
  /** When the call began, in milliseconds since 1970. */
  beganAt: z.number(),
  /** What it ran under, as `printProfile` writes it. */
  profile: z.string(),
  hits: z.array(Path),
  gitLinks: z.array(Path),
  unsearched: z.array(z.strictObject({ path: Path })),
  repositories: z.array(
    z.strictObject({ kind: z.enum(["folder", "file", "link"]), path: Path, isWhole: z.boolean() }),
  ),
  /** When its process was found to have ended, in milliseconds since 1970. */
  endedBy: z.number().optional(),
});
type Entry = z.infer<typeof Entry>;

/** A call, and what there was before it, as far as it takes to find out what it made. */
export interface WatchedCall
  extends Omit<Entry, "pid" | "startedAt" | "endedBy" | "hits" | "gitLinks" | "unsearched" | "repositories"> {
  readonly before: Omit<Before, "mac">;
}

/** A call whose supervisor was killed. */
export interface LeftCall {
  readonly call: WatchedCall;
  /** Says that it was seen to; null while a process of the call may not have ended yet, and make more. */
  readonly forget: (() => void) | null;
}

/** Processes of a sandbox end with its supervisor, but a moment later: so long what they left is looked for again. */
const SETTLED_MS = 5_000;

/**
 * What there was before each call that runs, in a file of the state folder: it is there before the call begins, and until what the
 * call made was seen to. So whenever a supervisor is killed, the next one finds what that call left for hosts to execute.
 */
export class CallWatches {
  readonly #folder: AbsolutePath;

  constructor(stateFolder: AbsolutePath) {
    this.#folder = joinPath(stateFolder, "watched");
  }

  /** Writes a call down until it is disposed of. Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk. */
  begin({ before, ...call }: WatchedCall): Disposable {
    const file = joinPath(this.#folder, `${call.callId}.json`);
    const entry: Entry = {
      ...thisProcess(),
      ...call,
      hits: [...before.hits],
      gitLinks: [...before.gitLinks],
      unsearched: before.unsearched.map(({ path }) => ({ path })),
      repositories: before.repositories.map(({ kind, path, isWhole }) => ({ kind, path, isWhole })),
    };
    const text = JSON.stringify(entry);
    inFolder(this.#folder, () => writeWhole(file, text));
    return { [Symbol.dispose]: () => removeFile(file) };
  }

  /** Calls of ended processes. An entry that can't be read is left as it is. */
  leftBehind(): readonly LeftCall[] {
    return namesIn(this.#folder).flatMap((name) => {
      const file = joinPath(this.#folder, name);
      if (name.endsWith(UNFINISHED)) removeIfAbandoned(file, Date.now());
      const entry = name.endsWith(".json") ? readEntry(file) : null;
      if (entry === null || isRunning(entry)) return [];
      const { sessionId, callId, tool, workspace, beganAt, profile, ...before } = entry;
      const call = { sessionId, callId, tool, workspace, beganAt, profile, before };
      return [{ call, forget: isSettled(file, entry) ? () => removeFile(file) : null }];
    });
  }
}

/** Whether the process ended so long ago that all of its sandbox has; writes down when it was first found so. */
function isSettled(file: AbsolutePath, entry: Entry): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined) remember(file, JSON.stringify({ ...entry, endedBy: now }));
  // A clock that was set back ends it too.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

function readEntry(file: AbsolutePath): Entry | null {
  try {
    return Entry.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

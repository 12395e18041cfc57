import { z } from "zod";
import { AppearedPolicy } from "../policy/appeared-policy.ts";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../profile/path.ts";
import type { Before } from "./appeared.ts";
import { LastMoment } from "./last-moment.ts";
import { namesIn } from "./names-in.ts";
import { statsOf } from "./nodes.ts";
import { isRunning, type ProcessId, printProcess, readProcess, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeFile } from "./state-files.ts";
import { contentAt, contentOf, WatchFile } from "./watch-file.ts";

const Path = z.custom<AbsolutePath>((given) => typeof given === "string" && isAbsolutePath(given));

const Entry = z.strictObject({
  sessionId: z.string(),
  callId: z.string(),
  tool: z.string(),
  workspace: z.string(),
  /** When the call began, in milliseconds since 1970. */
  beganAt: z.number(),
  hits: z.array(Path),
  gitLinks: z.array(Path),
  strayLinks: z.array(z.strictObject({ path: Path, way: z.string() })),
  /** What is watched for besides: see `watchedNames`. */
  watched: z.array(z.string()).readonly().default([]),
  /** See `statesInTrees`. */
  treeStates: z.array(z.tuple([Path, z.string()])).default([]),
  unsearched: z.array(z.strictObject({ path: Path })),
  repositories: z.array(
    z.strictObject({ kind: z.enum(["folder", "file", "link"]), path: Path, isWhole: z.boolean() }),
  ),
  /** What its config says is done about what it makes. */
  appeared: AppearedPolicy,
  /** When its process was found to have ended, in milliseconds since 1970, and when it had last been seen to live. */
  endedBy: z.number().optional(),
  seenAt: z.number().optional(),
  /** When all of its processes had ended, where its own supervisor saw that. */
  overAt: z.number().optional(),
});
type Entry = z.infer<typeof Entry>;

/**
 * A call, and what there was before it, as far as it takes to find out what it made. `profile` is what it ran under, as
 * `printProfile` writes it, in UTF-8.
 */
export interface WatchedCall
  extends Omit<
    Entry,
    | "endedBy"
    | "seenAt"
    | "overAt"
    | "hits"
    | "gitLinks"
    | "strayLinks"
    | "treeStates"
    | "unsearched"
    | "repositories"
  > {
  readonly before: Omit<Before, "mac">;
  readonly profile: Uint8Array;
}

/** One call that is written down, until it is disposed of. */
export interface Watch extends Disposable {
  /** In place of that: it stays written down, for the next supervisor. */
  leave(): void;
}

/** A call whose supervisor was killed. */
export interface LeftCall {
  readonly call: WatchedCall;
  /** By when all of its processes had ended, in milliseconds since 1970. */
  readonly overBy: number;
  /** Says that it was seen to; null while a process of the call may not have ended yet, and make more. */
  readonly forget: (() => void) | null;
}

/** Processes of a sandbox end with its supervisor, but a moment later: so long what they left is looked for again. */
const SETTLED_MS = 5_000;

/** How often the process of a call sets the time of its file, to say that it goes on. */
const SIGN_MS = 1_000;

/**
 * What there was before each call that runs, in a file of the state folder: it is there before the call begins, and until what the
 * call made was seen to. So whenever a supervisor is killed, the next one finds what that call left for hosts to execute. A file
 * is used again by the next call, as to make one takes longer than all the rest.
 */
export class CallWatches implements Disposable {
  readonly #folder: AbsolutePath;
  readonly #live = new Map<WatchFile, Entry>();
  #spare: WatchFile | null = null;
  #lastMoment: LastMoment | null = null;
  #signs: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(stateFolder: AbsolutePath) {
    this.#folder = joinPath(stateFolder, "watched");
  }

  /** Writes a call down until it is disposed of. Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk. */
  begin({ before, profile, ...call }: WatchedCall): Watch {
    const entry: Entry = {
      ...call,
      hits: [...before.hits],
      gitLinks: [...before.gitLinks],
      strayLinks: [...before.strayLinks],
      treeStates: [...before.treeStates],
      unsearched: before.unsearched.map(({ path }) => ({ path })),
      repositories: before.repositories.map(({ kind, path, isWhole }) => ({ kind, path, isWhole })),
    };
    const file = this.#file();
    try {
      inFolder(this.#folder, () => file.write(profile, JSON.stringify(entry)));
    } catch (cause) {
      file[Symbol.dispose]();
      throw cause;
    }
    this.#live.set(file, entry);
    this.#signs ??= setInterval(() => this.#sign(), SIGN_MS).unref();
    return { [Symbol.dispose]: () => this.#end(file), leave: () => this.#leave(file) };
  }

  /** Calls of ended processes. An entry that can't be read is left as it is. */
  leftBehind(): readonly LeftCall[] {
    const names = namesIn(this.#folder);
    for (const name of names) if (isOfNoCall(name, names)) removeFile(joinPath(this.#folder, name));
    return names.flatMap((name) => {
      const owner = ownerOf(name);
      if (owner === null || isRunning(owner)) return [];
      const file = joinPath(this.#folder, name);
      const changedAt = statsOf(file)?.mtimeMs ?? Date.now();
      const content = contentAt(file);
      // Its last call was seen to, or never began.
      if (content?.text === "") removeFile(file);
      const entry = content === null ? null : entryIn(content.text);
      if (content === null || entry === null) return [];
      const { sessionId, callId, tool, workspace, beganAt, appeared, watched } = entry;
      const { hits, gitLinks, strayLinks, unsearched, repositories, seenAt = changedAt } = entry;
      const endedAt = statsOf(joinPath(this.#folder, endNameOf(owner)))?.mtimeMs ?? seenAt;
      const { profile } = content;
      const treeStates = new Map(entry.treeStates);
      const before = { hits, gitLinks, strayLinks, treeStates, unsearched, repositories };
      const call = { sessionId, callId, tool, workspace, beganAt, appeared, watched, profile, before };
      const forget = isSettled(file, { ...entry, seenAt }, profile) ? () => removeFile(file) : null;
      const lastAt = entry.overAt ?? Math.max(seenAt, endedAt);
      return [{ call, overBy: lastAt + SIGN_MS + SETTLED_MS, forget }];
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#spare?.[Symbol.dispose]();
    this.#spare = null;
    this.#rest();
  }

  #file(): WatchFile {
    const spare = this.#spare;
    this.#spare = null;
    if (spare?.isThere() === true) return spare;
    spare?.[Symbol.dispose]();
    return inFolder(this.#folder, () => new WatchFile(joinPath(this.#folder, nextName())));
  }

  /** Goes on while any call runs. Only one that runs for long pays for a helper. */
  #sign(): void {
    for (const file of this.#live.keys()) file.sign();
    if (this.#live.size > 0)
      this.#lastMoment ??= new LastMoment(joinPath(this.#folder, endNameOf(thisProcess())));
    if (this.#live.size > 0 || this.#signs === null) return;
    clearInterval(this.#signs);
    this.#signs = null;
  }

  #leave(file: WatchFile): void {
    const entry = this.#live.get(file);
    this.#live.delete(file);
    file.leave(JSON.stringify({ ...entry, overAt: Date.now() }));
    this.#rest();
  }

  /** Once no call can be cut off any more, nobody has to tell when this process ended. */
  #rest(): void {
    if (!this.#isOver || this.#live.size > 0) return;
    this.#lastMoment?.[Symbol.dispose]();
    this.#lastMoment = null;
  }

  #end(file: WatchFile): void {
    this.#live.delete(file);
    if (this.#isOver || this.#spare !== null) file[Symbol.dispose]();
    else {
      file.clear();
      this.#spare = file;
    }
    this.#rest();
  }
}

/** How many files this process made; none has the name of another. */
let made = 0;

function nextName(): string {
  made += 1;
  return `${printProcess(thisProcess())}.${made}.json`;
}

/** The process that made the file of this name; null for any other name. */
function ownerOf(name: string): ProcessId | null {
  const [, owner = ""] = /^(.+)\.\d+\.json$/.exec(name) ?? [];
  return readProcess(owner);
}

/** The file that is made as a process ends. */
function endNameOf(owner: ProcessId): string {
  return `${printProcess(owner)}.end`;
}

/** True for a file that tells the end of a process of which no call is written down. */
function isOfNoCall(name: string, names: readonly string[]): boolean {
  const [, owner = ""] = /^(.+)\.end$/.exec(name) ?? [];
  return owner !== "" && !names.some((one) => one.startsWith(`${owner}.`) && one !== name);
}

/** Whether the process ended so long ago that all of its sandbox has; writes down when it was first found so. */
function isSettled(file: AbsolutePath, entry: Entry, profile: Uint8Array): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined)
    remember(file, contentOf(profile, JSON.stringify({ ...entry, endedBy: now })));
  // A clock that was set back ends it too.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

function entryIn(text: string): Entry | null {
  try {
    return Entry.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

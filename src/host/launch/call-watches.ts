import { z } from "zod";
import { AppearedPolicy } from "../../policy/appeared-policy.ts";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import { namesIn } from "../look/names-in.ts";
import { statsOf } from "../look/nodes.ts";
import { orNull } from "../or-null.ts";
import type { Before } from "./appeared.ts";
import { LastMoment } from "./last-moment.ts";
import { isRunning, type ProcessId, printProcess, readProcess, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeFile } from "./state-files.ts";
import { contentAt, contentOf, WatchFile } from "./watch-file.ts";

const Path = z.custom<AbsolutePath>((given) => typeof given === "string" && isAbsolutePath(given));

const Entry = z.strictObject({
  sessionId: z.string(),
  callId: z.string(),
  tool: z.string(),
  workspace: z.string(),
  /** The start of the call, in milliseconds since 1970. */
  beganAt: z.number(),
  hits: z.array(Path),
  gitLinks: z.array(Path),
  strayLinks: z.array(z.strictObject({ path: Path, way: z.string() })),
  watched: z.array(z.string()).readonly().default([]),
  treeStates: z.array(z.tuple([Path, z.string()])).default([]),
  unsearched: z.array(z.strictObject({ path: Path })),
  repositories: z.array(
    z.strictObject({ kind: z.enum(["folder", "file", "link"]), path: Path, isWhole: z.boolean() }),
  ),
  appeared: AppearedPolicy,
  /** The time when its process was found to have ended, and when it was last seen alive, in milliseconds since 1970. */
  endedBy: z.number().optional(),
  seenAt: z.number().optional(),
  /** The time when all of its processes had ended, if its own supervisor saw that. */
  overAt: z.number().optional(),
});
type Entry = z.infer<typeof Entry>;

/** A call and the state before it. `profile` is the profile it ran under, as `printProfile` writes it, in UTF-8. */
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

/** The record of one call, until disposal. */
export interface CallWatch extends Disposable {
  /** Instead of disposal: keeps the record for the next supervisor. */
  leave(): void;
}

/** A call whose supervisor was killed. */
export interface LeftCall {
  readonly call: WatchedCall;
  /** The time by which all of its processes had ended, in milliseconds since 1970. */
  readonly overBy: number;
  /** Deletes the record; null while a process of the call may still run, and make more. */
  readonly forget: (() => void) | null;
}

/** Processes of a sandbox end shortly after its supervisor: for this time their remains are looked for again. */
const SETTLED_MS = 5_000;

/** How often a process with calls sets the time of its file, to show that it is alive, in milliseconds. */
const SIGN_MS = 1_000;

/**
 * The state before each running call, in a file of the state folder until its results were handled. If a supervisor is
 * killed, the next one finds what that call left for hosts to execute. Files are used again: creation is slow.
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

  /** Records a call until disposal. Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk. */
  begin({ before, profile, ...call }: WatchedCall): CallWatch {
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

  /** Calls of ended processes. An unreadable entry is left as it is. */
  leftBehind(): readonly LeftCall[] {
    const names = namesIn(this.#folder);
    for (const name of names) if (isOfNoCall(name, names)) removeFile(joinPath(this.#folder, name));
    return names.flatMap((name) => {
      const owner = ownerOf(name);
      if (owner === null || isRunning(owner)) return [];
      const file = joinPath(this.#folder, name);
      const changedAt = statsOf(file)?.mtimeMs ?? Date.now();
      const content = contentAt(file);
      // Its last call was handled, or never began.
      if (content?.text === "") removeFile(file);
      const entry = content === null ? null : orNull(() => Entry.parse(JSON.parse(content.text)));
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

  /** Runs while there are calls. Only a long call pays for a helper. */
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

  /** When no call can be cut off any more, the end of this process need not be recorded. */
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

let made = 0;

function nextName(): string {
  made += 1;
  return `${printProcess(thisProcess())}.${made}.json`;
}

/** The process that created the file of this name; null for any other name. */
function ownerOf(name: string): ProcessId | null {
  const [, owner = ""] = /^(.+)\.\d+\.json$/.exec(name) ?? [];
  return readProcess(owner);
}

function endNameOf(owner: ProcessId): string {
  return `${printProcess(owner)}.end`;
}

function isOfNoCall(name: string, names: readonly string[]): boolean {
  const [, owner = ""] = /^(.+)\.end$/.exec(name) ?? [];
  return owner !== "" && !names.some((one) => one.startsWith(`${owner}.`) && one !== name);
}

/** True if the process ended so long ago that all of its sandbox has; records when that was first found. */
function isSettled(file: AbsolutePath, entry: Entry, profile: Uint8Array): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined)
    remember(file, contentOf(profile, JSON.stringify({ ...entry, endedBy: now })));
  // A clock that was set back ends it too.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

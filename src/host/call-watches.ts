import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import { AppearedPolicy } from "../policy/appeared-policy.ts";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../profile/path.ts";
import type { Before } from "./appeared.ts";
import { namesIn } from "./names-in.ts";
import { statsOf } from "./nodes.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeFile } from "./state-files.ts";
import { codeOf } from "./system-error.ts";

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
  unsearched: z.array(z.strictObject({ path: Path })),
  repositories: z.array(
    z.strictObject({ kind: z.enum(["folder", "file", "link"]), path: Path, isWhole: z.boolean() }),
  ),
  /** What its config says is done about what it makes. */
  appeared: AppearedPolicy,
  /** When its process was found to have ended, in milliseconds since 1970, and when it had last been seen to live. */
  endedBy: z.number().optional(),
  seenAt: z.number().optional(),
});
type Entry = z.infer<typeof Entry>;

/**
 * A call, and what there was before it, as far as it takes to find out what it made. `profile` is what it ran under, as
 * `printProfile` writes it, in UTF-8.
 */
export interface WatchedCall
  extends Omit<
    Entry,
    "endedBy" | "seenAt" | "hits" | "gitLinks" | "strayLinks" | "unsearched" | "repositories"
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
  readonly #live = new Set<WatchFile>();
  #spare: WatchFile | null = null;
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
    this.#live.add(file);
    this.#signs ??= setInterval(() => this.#sign(), SIGN_MS).unref();
    return { [Symbol.dispose]: () => this.#end(file), leave: () => this.#leave(file) };
  }

  /** Calls of ended processes. An entry that can't be read is left as it is. */
  leftBehind(): readonly LeftCall[] {
    return namesIn(this.#folder).flatMap((name) => {
      const owner = ownerOf(name);
      if (owner === null || isRunning(owner)) return [];
      const file = joinPath(this.#folder, name);
      const changedAt = statsOf(file)?.mtimeMs ?? Date.now();
      const content = contentAt(file);
      // Its last call was seen to, or never began.
      if (content?.text === "") removeFile(file);
      const entry = content === null ? null : entryIn(content.text);
      if (content === null || entry === null) return [];
      const { sessionId, callId, tool, workspace, beganAt, appeared } = entry;
      const { hits, gitLinks, strayLinks, unsearched, repositories, seenAt = changedAt } = entry;
      const { profile } = content;
      const before = { hits, gitLinks, strayLinks, unsearched, repositories };
      const call = { sessionId, callId, tool, workspace, beganAt, appeared, profile, before };
      const forget = isSettled(file, { ...entry, seenAt }, profile) ? () => removeFile(file) : null;
      return [{ call, overBy: seenAt + SIGN_MS + SETTLED_MS, forget }];
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#spare?.[Symbol.dispose]();
    this.#spare = null;
  }

  #file(): WatchFile {
    const spare = this.#spare;
    this.#spare = null;
    if (spare?.isThere() === true) return spare;
    spare?.[Symbol.dispose]();
    return inFolder(this.#folder, () => new WatchFile(joinPath(this.#folder, nextName())));
  }

  /** Goes on while any call runs. */
  #sign(): void {
    for (const file of this.#live) file.sign();
    if (this.#live.size > 0 || this.#signs === null) return;
    clearInterval(this.#signs);
    this.#signs = null;
  }

  #leave(file: WatchFile): void {
    this.#live.delete(file);
    file.sign();
    file.close();
  }

  #end(file: WatchFile): void {
    this.#live.delete(file);
    if (this.#isOver || this.#spare !== null) file[Symbol.dispose]();
    else {
      file.clear();
      this.#spare = file;
    }
  }
}

/** How many files this process made; none has the name of another. */
let made = 0;

function nextName(): string {
  made += 1;
  return `${printProcess(thisProcess())}.${made}.json`;
}

/** The process that made the file of this name; null for any other name. */
function ownerOf(name: string) {
  const [, owner = ""] = /^(.+)\.\d+\.json$/.exec(name) ?? [];
  return readProcess(owner);
}

/** A file that holds the profile and, while a call runs, its entry. */
class WatchFile implements Disposable {
  readonly #path: AbsolutePath;
  readonly #fd: number;
  #profile: Uint8Array | null = null;

  /** Throws node's errors. */
  constructor(path: AbsolutePath) {
    this.#path = path;
    this.#fd = openSync(path, "wx", 0o600);
  }

  /** False where somebody removed it. */
  isThere(): boolean {
    return fstatSync(this.#fd).nlink > 0;
  }

  /** Throws node's errors; what is there then is no entry. */
  write(profile: Uint8Array, text: string): void {
    if (this.#profile !== profile) {
      this.#profile = null;
      ftruncateSync(this.#fd, 0);
      this.#put(contentOf(profile, ""), 0);
      this.#profile = profile;
    }
    this.#put(Buffer.from(`${text}\0`), profile.length + 1);
  }

  /** Where the system says no, what it said last still holds. */
  sign(): void {
    try {
      futimesSync(this.#fd, Date.now() / 1_000, Date.now() / 1_000);
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** In place: to cut the file and let it grow again takes the system longer than all else here. */
  clear(): void {
    this.#put(NUL, (this.#profile?.length ?? -1) + 1);
  }

  [Symbol.dispose](): void {
    this.close();
    removeFile(this.#path);
  }

  /** On a disk that is nearly full a write may take less than it was given (write(2)). */
  #put(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
  }
}

/** Whether the process ended so long ago that all of its sandbox has; writes down when it was first found so. */
function isSettled(file: AbsolutePath, entry: Entry, profile: Uint8Array): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined)
    remember(file, contentOf(profile, JSON.stringify({ ...entry, endedBy: now })));
  // A clock that was set back ends it too.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

const NUL = Buffer.of(0);

/**
 * The profile first, as it is long, and the same from call to call; then a NUL, which neither has any of, the entry, and a NUL, behind
 * which may stand what is left of a longer one.
 */
function contentOf(profile: Uint8Array, text: string): Uint8Array {
  return Buffer.concat([profile, Buffer.from(`\0${text}\0`)]);
}

/** Null for what can't be read. */
function contentAt(file: AbsolutePath): { readonly profile: Uint8Array; readonly text: string } | null {
  try {
    const content = readFileSync(file);
    const end = content.indexOf(NUL);
    if (end < 0) return { profile: content, text: "" };
    const entryEnd = content.indexOf(NUL, end + 1);
    const text = content.toString("utf8", end + 1, entryEnd < 0 ? content.length : entryEnd);
    return { profile: content.subarray(0, end), text };
  } catch {
    return null;
  }
}

function entryIn(text: string): Entry | null {
  try {
    return Entry.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

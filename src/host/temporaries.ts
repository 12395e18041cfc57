import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../profile/path.ts";
import { namesIn } from "./names-in.ts";
import { statsOf } from "./nodes.ts";
import { isRunning, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeIfAbandoned, UNFINISHED, writeWhole } from "./state-files.ts";

const Entry = z.strictObject({
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  /** Of our own names, and long enough to be of one session alone. */
  prefix: z.string().regex(/^\.cofferdam-tmp-[A-Za-z0-9-]{8,128}$/),
  folders: z.array(z.string()),
  /** When the process was found to have ended, in milliseconds since the epoch. */
  endedBy: z.number().optional(),
});

/**
 * The workers of a killed process end with it, but a moment later, and in that moment one may make its last temporary: so
 * for this long after a process was found to have ended, what it left is looked for again.
 */
const SETTLED_MS = 5_000;

/** Two changes within a tick of the kernel's clock leave one time: what changed so long ago has seen its last of that tick. */
const AT_REST_MS = 1_000;

/** Temporaries that a process may have left when it was killed: names that begin so, in these folders. */
export interface LeftBehind {
  readonly prefix: string;
  readonly folders: readonly AbsolutePath[];
  /** Says that they are gone; null while a worker of that process may not have ended yet, and make another. */
  readonly forget: (() => void) | null;
}

/**
 * In which folders a session makes temporaries: a file of the state folder that is there before the first is made, and
 * until the session ends. So whenever a supervisor is killed, the next one knows where to look. A folder is written down
 * once, so that most writes cost nothing here.
 */
export class Temporaries implements Disposable {
  readonly prefix: string;
  readonly #file: AbsolutePath;
  readonly #place: AbsolutePath;
  readonly #folders = new Set<AbsolutePath>();
  /** When the place last changed, if there was nothing but ours in it then. */
  #aloneAt: number | null = null;

  constructor(stateFolder: AbsolutePath, sessionId: string, prefix: string) {
    this.prefix = prefix;
    this.#place = joinPath(stateFolder, "temporaries");
    this.#file = joinPath(this.#place, `${sessionId}.json`);
  }

  /** Writes down that a temporary may be made there. Throws node's errors, and `SANDBOX_UNAVAILABLE`: then none may be. */
  expectIn(folder: AbsolutePath): void {
    if (this.#folders.has(folder)) return;
    const folders = [...this.#folders, folder];
    const text = JSON.stringify({ ...thisProcess(), prefix: this.prefix, folders });
    inFolder(this.#place, () => writeWhole(this.#file, text));
    this.#folders.add(folder);
  }

  /**
   * What sessions of ended processes may have left. When a process was first found to have ended is written down in its
   * entry. An entry that can't be read is left as it is.
   */
  leftBehind(): readonly LeftBehind[] {
    // A folder in which nothing but ours was, and that has not changed, still holds nothing else.
    const changed = statsOf(this.#place)?.mtimeMs ?? 0;
    if (changed === this.#aloneAt) return [];
    const isAtRest = Date.now() - changed > AT_REST_MS;
    const names = namesIn(this.#place);
    const isAlone = names.every((name) => joinPath(this.#place, name) === this.#file);
    this.#aloneAt = isAtRest && isAlone ? changed : null;
    return names.flatMap((name) => {
      const file = joinPath(this.#place, name);
      if (name.endsWith(UNFINISHED)) removeIfAbandoned(file, Date.now());
      const entry = file !== this.#file && name.endsWith(".json") ? readEntry(file) : null;
      if (entry === null || isRunning(entry)) return [];
      const folders = entry.folders.filter((path) => isAbsolutePath(path));
      const forget = isSettled(file, entry) ? () => rmSync(file, { force: true }) : null;
      return [{ prefix: entry.prefix, folders, forget }];
    });
  }

  /** None of this session's is left. */
  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }
}

/** Whether the process ended so long ago that its workers have ended too; writes down when it was first found so. */
function isSettled(file: AbsolutePath, entry: z.infer<typeof Entry>): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined) remember(file, JSON.stringify({ ...entry, endedBy: now }));
  // A clock that was set back ends it too: by that clock it might otherwise last for years.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

function readEntry(file: AbsolutePath): z.infer<typeof Entry> | null {
  try {
    return Entry.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

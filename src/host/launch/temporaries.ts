import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import { namesIn } from "../look/names-in.ts";
import { statsOf } from "../look/nodes.ts";
import { orNull } from "../or-null.ts";
import { isRunning, thisProcess } from "./process-id.ts";
import { inFolder, remember, removeIfAbandoned, UNFINISHED, writeWhole } from "./state-files.ts";

const Entry = z.strictObject({
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  /** One of our own names, and long enough to be of one session alone. */
  prefix: z.string().regex(/^\.cofferdam-tmp-[A-Za-z0-9-]{8,128}$/),
  folders: z.array(z.string()),
  /** Time when the process was found to have ended, in milliseconds since the epoch. */
  endedBy: z.number().optional(),
});

/** After a process has ended, its workers may make a last temporary: for this long, temporaries are searched again. */
const SETTLED_MS = 5_000;

/** Two changes within a tick of the kernel's clock leave one time: after this long, that tick is over. */
const AT_REST_MS = 1_000;

/** Temporaries that a process may have left when it was killed: names that begin so, in these folders. */
export interface LeftBehind {
  readonly prefix: string;
  readonly folders: readonly AbsolutePath[];
  /** Removes the entry; null while a worker of that process may not have ended yet, and make another. */
  readonly forget: (() => void) | null;
}

/**
 * The folders in which a session makes temporaries: a file of the state folder that is there before the first is made,
 * and until the session ends. So after a kill the next supervisor knows where to look. A folder is written down once,
 * so that most writes cost nothing here.
 */
export class Temporaries implements Disposable {
  readonly prefix: string;
  readonly #file: AbsolutePath;
  readonly #place: AbsolutePath;
  readonly #folders = new Set<AbsolutePath>();
  /** Time of the place's last change, if only our entry was in it then. */
  #aloneAt: number | null = null;

  constructor(stateFolder: AbsolutePath, sessionId: string, prefix: string) {
    this.prefix = prefix;
    this.#place = joinPath(stateFolder, "temporaries");
    this.#file = joinPath(this.#place, `${sessionId}.json`);
  }

  /** Writes that a temporary may be made there. Throws node's errors, and `SANDBOX_UNAVAILABLE`: then none may be. */
  expectIn(folder: AbsolutePath): void {
    if (this.#folders.has(folder)) return;
    const folders = [...this.#folders, folder];
    const text = JSON.stringify({ ...thisProcess(), prefix: this.prefix, folders });
    inFolder(this.#place, () => writeWhole(this.#file, text));
    this.#folders.add(folder);
  }

  /** Temporaries that ended sessions may have left; notes when they ended. Unreadable entries stay as they are. */
  leftBehind(): readonly LeftBehind[] {
    // A folder with our entry alone, and without a change since, still holds nothing else.
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

  /** Call it once none of this session's temporaries is left. */
  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }
}

/** True if the process ended so long ago that its workers have ended too; writes down when it was first found so. */
function isSettled(file: AbsolutePath, entry: z.infer<typeof Entry>): boolean {
  const now = Date.now();
  if (entry.endedBy === undefined) remember(file, JSON.stringify({ ...entry, endedBy: now }));
  // A clock that was set back ends it too: by that clock it might otherwise last for years.
  return Math.abs(now - (entry.endedBy ?? now)) > SETTLED_MS;
}

function readEntry(file: AbsolutePath): z.infer<typeof Entry> | null {
  return orNull(() => Entry.parse(JSON.parse(readFileSync(file, "utf8"))));
}

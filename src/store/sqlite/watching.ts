import { type FSWatcher, watch } from "node:fs";
import { systemPath } from "../../host/nodes.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";

/** How often is looked where the system tells of changes, in case one was not told. */
const SELDOM_MS = 500;
/** How often where it does not, as where it watches as much as it can (inotify(7)), or there is no folder yet. */
const OFTEN_MS = 10;

/** What it takes to watch a folder, as `node:fs` has it. */
export type WatchFolder = typeof watch;

/**
 * Calls everyone back who listens, when this process changed the file or another one may have. It looks only while
 * somebody listens, and keeps no process alive.
 */
export class Watching implements Disposable {
  readonly #file: AbsolutePath;
  readonly #hasChanged: () => boolean;
  readonly #watchFolder: WatchFolder;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Looks since the folder was last tried to be watched. */
  #looks = 0;
  #isOver = false;

  /** `hasChanged` says whether another one changed something since it was last asked. */
  constructor(file: AbsolutePath, hasChanged: () => boolean, watchFolder: WatchFolder = watch) {
    this.#file = file;
    this.#hasChanged = hasChanged;
    this.#watchFolder = watchFolder;
  }

  /** Until what it returns is disposed of; after the end nobody is called any more. */
  add(onChange: () => void): Disposable {
    // Of its own: one function may listen twice.
    const listener = (): void => onChange();
    if (!this.#isOver) this.#listeners.add(listener);
    if (this.#listeners.size === 1 && this.#timer === null) this.#begin();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#end();
      },
    };
  }

  /** Something changed. */
  wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#listeners.clear();
    this.#end();
  }

  #begin(): void {
    // What was before is known to whoever listens from now on.
    this.#hasChanged();
    this.#watch();
    this.#lookLater();
  }

  #end(): void {
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#hasChanged()) this.wake();
  }

  #lookLater(): void {
    const afterMs = this.#watcher === null ? OFTEN_MS : SELDOM_MS;
    this.#timer = setTimeout(() => {
      this.#looks += 1;
      if (this.#watcher === null && this.#looks * OFTEN_MS >= SELDOM_MS) this.#watch();
      this.#lookLater();
      this.#look();
    }, afterMs).unref();
  }

  /**
   * Watches the folder: whoever changes the file touches it behind that, so one call back comes for each step. To watch the
   * file itself would on macOS open it, and take SQLite's locks away when it is closed (fcntl(2)).
   */
  #watch(): void {
    this.#looks = 0;
    try {
      const folder = systemPath(parentOf(this.#file));
      const watcher = this.#watchFolder(folder, { persistent: false }, (_, name) => {
        if (name === null || name === nameOf(this.#file)) this.#look();
      });
      watcher.on("error", () => {
        watcher.close();
        if (this.#watcher === watcher) this.#watcher = null;
      });
      this.#watcher = watcher;
    } catch {
      // Then it is looked for often, and tried again.
      this.#watcher = null;
    }
  }
}

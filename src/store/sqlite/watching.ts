import { type FSWatcher, watch } from "node:fs";
import { systemPath } from "../../host/look/nodes.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";

/** How often the file is checked where the system reports changes, as one may be lost, in milliseconds. */
const SELDOM_MS = 500;
/** How often otherwise: if the system's watches are used up (inotify(7)), or there is no folder yet. */
const OFTEN_MS = 10;

/** The function that watches a folder, as in `node:fs`. */
export type WatchFolder = typeof watch;

/** Calls listeners back when the file may have changed. Looks only while there are any; keeps no process alive. */
export class SqliteWatching implements Disposable {
  readonly #file: AbsolutePath;
  readonly #hasChanged: () => boolean;
  readonly #watchFolder: WatchFolder;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looks = 0;
  #isOver = false;

  constructor(file: AbsolutePath, hasChanged: () => boolean, watchFolder: WatchFolder = watch) {
    this.#file = file;
    this.#hasChanged = hasChanged;
    this.#watchFolder = watchFolder;
  }

  add(onChange: () => void): Disposable {
    // A new function each time: the same function may listen twice.
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

  wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#listeners.clear();
    this.#end();
  }

  #begin(): void {
    // A new listener knows the state so far.
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
   * Watches the folder, which each writer touches after a change. On macOS, a watch of the file itself would open it,
   * and release SQLite's locks when it is closed (fcntl(2)).
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
      this.#watcher = null;
    }
  }
}

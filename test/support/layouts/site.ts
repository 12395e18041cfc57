import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Workshop } from "./workshop.ts";

/** Where one layout is installed. `all` holds all of it: `project`, what package managers keep in `caches`, and what else there is. */
export class Site {
  readonly top: string;
  readonly all: string;
  readonly project: string;
  readonly caches: string;
  /** A folder that has nothing to do with it. */
  readonly elsewhere: string;
  /** A file in which code that was planted leaves its name. */
  readonly mark: string;
  readonly #workshop: Workshop;

  constructor(workshop: Workshop, name: string) {
    this.#workshop = workshop;
    this.top = join(workshop.top, "sites", name.replace(/\W+/g, "-"));
    this.all = join(this.top, "all");
    this.project = join(this.all, "project");
    this.caches = join(this.all, "caches");
    this.elsewhere = join(this.top, "elsewhere");
    this.mark = join(this.top, "mark");
    for (const folder of [join(this.project, "tools"), this.caches, this.elsewhere, join(this.top, "home")])
      mkdirSync(folder, { recursive: true });
  }

  get node(): string {
    return this.#workshop.node;
  }

  get downloads(): string {
    return this.#workshop.downloads;
  }

  get archive(): string {
    return this.#workshop.archive;
  }

  manager(name: Parameters<Workshop["manager"]>[0]): readonly string[] {
    return this.#workshop.manager(name);
  }

  /** Runs a package manager in the project, with caches of this site's for those that link to what they keep. */
  async manage(
    name: Parameters<Workshop["manager"]>[0],
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd = this.project,
  ): Promise<void> {
    await this.run([...this.manager(name), ...words], cwd, env);
  }

  async run(
    words: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const own = {
      XDG_DATA_HOME: join(this.caches, "data"),
      YARN_GLOBAL_FOLDER: join(this.caches, "yarn"),
      BUN_INSTALL_CACHE_DIR: join(this.caches, "bun"),
    };
    await this.#workshop.run(words, cwd, { ...own, ...env });
  }
}

import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { checkoutFor, compileCacheFor, type Person } from "../battery/people.ts";

const TMUX = "/usr/bin/tmux";

/** Why nobody can sit at a terminal of tmux here, or null. */
export function paneProblem(): string | null {
  const missing = [TMUX, "/usr/bin/perl", "/usr/bin/stty", "/usr/bin/vi", "/usr/bin/less"].find(
    (path) => !existsSync(path),
  );
  return missing === undefined ? null : `${missing} is not installed`;
}

/** What a pane shows besides text. */
export interface Looks {
  readonly isOtherScreen: boolean;
  readonly takesMouse: boolean;
  readonly hasCursor: boolean;
  readonly region: string;
  readonly keys: string;
}

/** The pane of a terminal in which nothing was changed. */
export const USUAL_LOOKS = (rows: number): Looks => ({
  isOtherScreen: false,
  takesMouse: false,
  hasCursor: true,
  region: `0 ${rows - 1}`,
  keys: "0 0",
});

/**
 * A person at a pane of tmux, a real terminal, in a folder of theirs with a shell that is none of bash's kind: it leaves the
 * terminal as what it ran left it. Their files and processes are gone after the test.
 */
export class Pane {
  readonly folder: string;
  readonly #person: Person;
  readonly #columns = 100;
  #rows = 24;

  constructor(person: Person, files: Readonly<Record<string, string>> = {}) {
    this.#person = person;
    this.folder = mkdtempSync(join(tmpdir(), "cofferdam-pane-"));
    const { node, folder: checkout } = checkoutFor(person);
    const main = join(checkout, "dist/cli/main.js");
    mkdirSync(join(this.folder, "work"));
    this.#write("cofferdam", `#!/bin/sh\nexec '${node}' '${main}' "$@"\n`);
    for (const [name, text] of Object.entries(files)) this.#write(join("work", name), text);
    spawnSync("/bin/chmod", ["-R", "u=rwX,go=rX", this.folder]);
    spawnSync("/bin/chmod", ["0755", join(this.folder, "cofferdam")]);
    if (person.runAs.uid !== undefined)
      spawnSync("/bin/chown", ["-R", `${person.uid}:${person.gid}`, this.folder]);
    onTestFinished(() => {
      this.#tmux("kill-server");
      rmSync(this.folder, { recursive: true, force: true });
    });
    const env = {
      PATH: `${this.folder}:/usr/bin:/bin`,
      HOME: this.folder,
      LANG: "C.UTF-8",
      ENV: "",
      PS1: "$ ",
      XDG_STATE_HOME: join(this.folder, "state"),
      NODE_COMPILE_CACHE: compileCacheFor(person),
    };
    const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    this.#tmux(
      ...["new-session", "-d", "-x", `${this.#columns}`, "-y", `${this.#rows}`],
      ...["-c", join(this.folder, "work"), "env", "-i", ...words, "TERM=screen", "/bin/sh", "-i"],
    );
  }

  /** Types a command of the person's shell. */
  run(line: string): void {
    this.type(`${line}\r`);
  }

  /** Types keys. */
  type(keys: string): void {
    this.#tmux("send-keys", "-l", keys);
  }

  resize(columns: number, rows: number): void {
    this.#rows = rows;
    this.#tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
  }

  /** What stands on the screen, without blanks at the ends. */
  rows(): readonly string[] {
    return this.#tmux("capture-pane", "-p")
      .split("\n")
      .map((row) => row.trimEnd());
  }

  /** What the terminal's modes are by now. */
  looks(): Looks {
    const shown = this.#tmux(
      ...["display-message", "-p"],
      "#{alternate_on}|#{mouse_any_flag}|#{cursor_flag}|#{scroll_region_upper} #{scroll_region_lower}|#{keypad_cursor_flag} #{keypad_flag}",
    );
    const [other, mouse, cursor, region = "", keys = ""] = shown.trim().split("|");
    return {
      isOtherScreen: other === "1",
      takesMouse: mouse === "1",
      hasCursor: cursor === "1",
      region,
      keys,
    };
  }

  /** What a terminal is that nobody changed. */
  get usual(): Looks {
    return USUAL_LOOKS(this.#rows);
  }

  /** Waits until something is so. */
  async until(holds: () => boolean, what = holds.toString()): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if (holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    throw new Error(`waited in vain for ${what}; on the screen:\n${this.rows().join("\n")}`);
  }

  /** Waits until a row is seen. */
  untilSeen(row: string | RegExp): Promise<void> {
    const isIt = (one: string): boolean => (typeof row === "string" ? one === row : row.test(one));
    return this.until(() => this.rows().some(isIt), String(row));
  }

  /** The modes of the person's terminal, looked at from outside. */
  modes(): string {
    const terminal = this.#tmux("display-message", "-p", "#{pane_tty}").trim();
    return execFileSync("/usr/bin/stty", ["-F", terminal, "-g"], { encoding: "utf8" }).trim();
  }

  /** The pid of the supervisor that runs here. */
  supervisor(): number | null {
    const shell = this.#tmux("display-message", "-p", "#{pane_pid}").trim();
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim();
    return children === "" ? null : Number(children.split(" ")[0]);
  }

  /** Takes the terminal away. */
  hangUp(): void {
    this.#tmux("kill-server");
  }

  #write(name: string, text: string): void {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    if (this.#person.runAs.uid !== undefined) chownSync(path, this.#person.uid, this.#person.gid);
  }

  #tmux(...words: readonly string[]): string {
    const all = ["-S", join(this.folder, "tmux"), "-f", "/dev/null", ...words];
    const { stdout } = spawnSync(TMUX, all, { ...this.#person.runAs, cwd: "/", env: {}, encoding: "utf8" });
    return stdout ?? "";
  }
}

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { RepositorySign } from "../../../src/backend/repositories.ts";
import { CommittedBefore } from "../../../src/host/look/git/checked-out.ts";
import type { Likeness } from "../../../src/host/look/likeness.ts";
import { knownPath } from "../../../src/profile/path.ts";

/** Longer than the times of a file system lag behind the clock, as `CommittedBefore` has it. */
const SURELY_LATER_MS = 80;

/** A folder with repositories that git made, and a moment at which a call began. */
export class History implements Disposable {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-history-")));
  #startedAt = 0;

  /** Runs git, by no settings but its own, and gives what it prints. Throws where it fails. */
  git(folder: string, words: string, input?: string | Buffer): string {
    const { status, stdout, stderr } = spawnSync("git", words.split(" "), {
      cwd: join(this.top, folder),
      env: { ...GIT_SETTINGS, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.top },
      encoding: "utf8",
      ...(input === undefined ? {} : { input }),
    });
    if (status !== 0) throw new Error(`git ${words}: ${stderr}`);
    return stdout.trim();
  }

  write(path: string, text: string | Buffer, mode = 0o644): void {
    const whole = join(this.top, path);
    mkdirSync(dirname(whole), { recursive: true });
    rmSync(whole, { force: true });
    writeFileSync(whole, text);
    chmodSync(whole, mode);
  }

  link(path: string, to: string): void {
    mkdirSync(dirname(join(this.top, path)), { recursive: true });
    symlinkSync(to, join(this.top, path));
  }

  /** A repository whose branch `side` holds what hosts execute, and whose working tree has the empty branch `main`. */
  async repository(name: string, words = ""): Promise<void> {
    this.git("", `init -q -b main ${words}${words === "" ? "" : " "}${name}`);
    this.git(name, "commit -q --allow-empty -m first");
    this.git(name, "checkout -q -b side");
    this.write(`${name}/.envrc`, "export A=1\n");
    this.write(`${name}/.husky/pre-commit`, "#!/bin/sh\n", 0o755);
    this.write(`${name}/.husky/_/husky.sh`, ":\n");
    this.write(`${name}/deep/er/.mcp.json`, "{}\n");
    this.write(`${name}/.agents/a.md`, "a\n");
    this.link(`${name}/.claude`, ".agents");
    this.git(name, "add -A");
    this.git(name, "commit -q -m side");
    this.git(name, "checkout -q main");
    await this.begin();
  }

  /** From now on, what is made is made by a call. */
  async begin(): Promise<void> {
    await pause(SURELY_LATER_MS);
    this.#startedAt = Date.now();
    await pause(SURELY_LATER_MS);
  }

  /** Whether a commit that these repositories held before has what stands at a path, under no other name. */
  async holds(path: string, repositories?: readonly string[]): Promise<boolean> {
    return (await this.likenessOf(path, repositories)) === "same";
  }

  /** The same, with what else it may be. */
  async likenessOf(path: string, repositories: readonly string[] = ["r/.git"]): Promise<Likeness> {
    const signs = repositories.map(
      (one): RepositorySign => ({
        kind: one.endsWith("/file") ? "file" : "folder",
        path: knownPath(join(this.top, one.replace(/\/file$/, ""))),
        isWhole: true,
      }),
    );
    using held = new CommittedBefore(signs, this.#startedAt);
    return await held.likenessOf(knownPath(join(this.top, path)));
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** No settings but these, and whose commits they are. */
export const GIT_SETTINGS = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ALLOW_PROTOCOL: "file",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "n"],
      [`GIT_${who}_EMAIL`, "e@example.org"],
    ]),
  ),
};

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../../unit/config/machine.ts";

/** Makes the project a linked worktree, whose repository lies beside it. */
export function worktree({ home, project }: Machine): void {
  const git = (...words: readonly string[]): void => {
    const person = ["-c", "user.name=a", "-c", "user.email=a@a.test"];
    execFileSync("git", [...person, ...words], { cwd: home, stdio: "ignore" });
  };
  rmSync(project, { recursive: true });
  git("init", "-q", "main");
  git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x");
  git("-C", "main", "worktree", "add", "-q", project);
}

/** Makes the project a folder whose `.git` names a repository that knows nothing of it. */
export function otherRepository({ home, project }: Machine): void {
  execFileSync("git", ["init", "-q", "main"], { cwd: home, stdio: "ignore" });
  writeFileSync(join(project, ".git"), `gitdir: ${home}/main/.git\n`);
}

import { type Case, granted, type Target } from "../case.ts";

/** What git obeys in a repository, by its path there. Those with a mark are missing at the start. */
const OBEYED = [
  "config",
  "hooks/pre-commit",
  "commondir (missing)",
  "config.worktree (missing)",
  "modules/sub/config",
  "modules/sub/hooks/pre-commit",
  "modules/sub/commondir (missing)",
  "modules/sub/config.worktree (missing)",
  "worktrees/w/gitdir",
  "worktrees/w/commondir",
  "worktrees/w/config.worktree (missing)",
] as const;

/** Nothing that the host's git obeys in a repository can be changed. The twin does the same where no repository is. */
export function ofRepositories({ ws }: Target): readonly Case[] {
  const acts: Readonly<Record<string, (path: string) => string>> = {
    written: (path) => `mkdir -p $(dirname ${path}); echo x > ${path}`,
    "replaced by a file": (path) =>
      `mkdir -p $(dirname ${path}); echo x > $(dirname ${path})/new && mv -f $(dirname ${path})/new ${path}`,
  };
  const places = [
    ...OBEYED.map((name) => `repository/.git/${name}`),
    ...["config", "hooks/update", "commondir (missing)", "config.worktree (missing)"].map(
      (name) => `bare/${name}`,
    ),
    "repository/named-by-config (missing)",
    "repository/by-detour (missing)",
    "repository/named-hooks/pre-push (missing)",
    "linked/named-hooks/pre-push (missing)",
    // Where hooks run for what is pushed into a repository.
    "repository/.git/named-hooks/pre-receive (missing)",
    "repository/.git/worktrees/w/named-hooks/pre-receive (missing)",
    "repository/sub/.git",
    "linked/.git",
    "repository/.vscode/tasks.json",
    "repository/.envrc",
  ];
  const changes = places.flatMap((place) =>
    Object.entries(acts).map(([how, line]): Case => {
      const path = place.replace(" (missing)", "");
      const twin = `free/git/${path.replaceAll(".git", "git").replace(".vscode", "vscode").replace(".envrc", "envrc")}`;
      const title = `${place} cannot be ${how}`;
      return {
        on: "both",
        claim: "git.exec",
        title,
        attack: line(`${ws}/${path}`),
        twin: granted(line(`${ws}/${twin}`)),
      };
    }),
  );
  const moves = [
    "repository/.git/modules/sub",
    "repository/.git/worktrees",
    "repository/.vscode",
    "repository/sub",
    // It is on the way to what is included, though that does not lie in it.
    "repository/aside",
    "linked",
    "repository/.git",
    "repository",
    "bare",
    "repository/.git/modules",
    "repository/.git/worktrees/w",
  ];
  return [
    ...changes,
    ...moves.map((name): Case => {
      const line = (folder: string): string => `mkdir -p ${folder} && mv ${folder} ${folder}-away`;
      return {
        on: "both",
        claim: "git.exec",
        title: `${name} cannot be moved away`,
        attack: line(`${ws}/${name}`),
        twin: granted(line(`${ws}/free/moved/${name.replaceAll(".git", "git")}`)),
      };
    }),
  ];
}

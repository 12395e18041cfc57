import { type Attack, type AttackTarget, granted } from "./attack.ts";

/** Paths in a repository that git obeys. Those with a mark are missing at the start. */
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

/** Nothing that the host's git obeys in a repository can be changed. The control acts outside of repositories. */
export function ofRepositories({ ws }: AttackTarget): readonly Attack[] {
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
    // A repository that runs hooks for pushes into it.
    "repository/.git/named-hooks/pre-receive (missing)",
    "repository/.git/worktrees/w/named-hooks/pre-receive (missing)",
    "repository/sub/.git",
    "linked/.git",
    "repository/.vscode/tasks.json",
    "repository/.envrc",
  ];
  const changes = places.flatMap((place) =>
    Object.entries(acts).map(([how, line]): Attack => {
      const path = place.replace(" (missing)", "");
      const free = `free/git/${path.replaceAll(".git", "git").replace(".vscode", "vscode").replace(".envrc", "envrc")}`;
      const title = `${place} cannot be ${how}`;
      return {
        on: "both",
        claim: "git.exec",
        title,
        line: line(`${ws}/${path}`),
        control: granted(line(`${ws}/${free}`)),
      };
    }),
  );
  const moves = [
    "repository/.git/modules/sub",
    "repository/.git/worktrees",
    "repository/.vscode",
    "repository/sub",
    // It is on the way to an included file that does not lie in it.
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
    ...moves.map((name): Attack => {
      const line = (folder: string): string => `mkdir -p ${folder} && mv ${folder} ${folder}-away`;
      return {
        on: "both",
        claim: "git.exec",
        title: `${name} cannot be moved away`,
        line: line(`${ws}/${name}`),
        control: granted(line(`${ws}/free/moved/${name.replaceAll(".git", "git")}`)),
      };
    }),
  ];
}

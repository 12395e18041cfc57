import { visible } from "../errors.ts";
import { type GitElsewhere, gitElsewhere } from "../host/git/elsewhere.ts";
import type { Root } from "../tool/facts.ts";
import type { Config } from "./config.ts";
import { type Finding, warning } from "./finding.ts";

/** Roots that git can't work in, because its repository lies elsewhere: each with the line that would help. */
export function gitFindings(config: Pick<Config, "roots">): readonly Finding[] {
  return gitLines(config.roots).map((found) => {
    const { root, elsewhere } = found;
    const message = `git of the root ${visible(root.name)} needs ${visible(elsewhere.path)}, which ${visible(elsewhere.from)} names and which lies in no root`;
    return warning(message, gitHint(found), root.at);
  });
}

/**
 * Tells which line to add. Where the repository does not name the root in turn, a call may have written the file that leads to it:
 * then a person is told to make sure first.
 */
export function gitHint({ elsewhere: { from, isMutual }, line }: Omit<GitLine, "root">): string {
  return isMutual
    ? `if that is your repository, add under \`sandbox.paths\` of the config: ${line}`
    : `calls may have written ${visible(from)}; if you know what it names, and calls are to have it, add under \`sandbox.paths\` of the config: ${line}`;
}

/** A root of its own that a config lacks for git. */
export interface GitLine {
  readonly root: Root;
  readonly elsewhere: GitElsewhere;
  /** As it is written under `sandbox.paths`. */
  readonly line: string;
}

/** What the roots lack for git to work in them, each once. */
export function gitLines(roots: readonly Root[]): readonly GitLine[] {
  const open = roots.filter(({ mode }) => mode !== "none");
  const paths = open.map(({ path }) => path);
  const names = new Set(roots.map(({ name }) => name));
  // What one of them writes in, the others may write in too.
  const inOrder = [...open.filter(({ mode }) => mode === "ro"), ...open.filter(({ mode }) => mode === "rw")];
  const found = new Map(
    inOrder.flatMap((root) =>
      gitElsewhere(root.path, paths).map((elsewhere) => [elsewhere.path, { root, elsewhere }]),
    ),
  );
  return [...found.values()].map(({ root, elsewhere }) => {
    const name = freshName(elsewhere.mode === "rw" ? "main" : "objects", names);
    names.add(name);
    const isRead = elsewhere.mode === "ro" || root.mode === "ro";
    const mode = isRead ? "mode: ro" : `mode: rw, write_approval: ${root.writeApproval}`;
    return { root, elsewhere, line: `${name}: { root: ${JSON.stringify(elsewhere.path)}, ${mode} }` };
  });
}

function freshName(wanted: string, names: ReadonlySet<string>): string {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? wanted : `${wanted}${at}`;
    if (!names.has(name)) return name;
  }
}

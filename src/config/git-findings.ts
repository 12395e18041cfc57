import { visible } from "../errors.ts";
import { type GitElsewhere, gitElsewhere } from "../host/look/git/elsewhere.ts";
import type { Root } from "../tool/facts.ts";
import type { Config } from "./config.ts";
import { type ConfigFinding, warning } from "./finding.ts";

/** Roots where git can't work, because its repository is elsewhere: each with the line that would help. */
export function gitFindings(config: Pick<Config, "roots">): readonly ConfigFinding[] {
  return gitLines(config.roots).map((found) => {
    const { root, elsewhere } = found;
    const message = `git in the root ${visible(root.name)} needs ${visible(elsewhere.path)}, which is in no root; ${visible(elsewhere.from)} names it`;
    return warning(message, gitHint(found), root.at);
  });
}

/** The line to add. A call may have written the file that leads to it, unless the repository names the root too. */
export function gitHint({ elsewhere: { from, isMutual }, line }: Omit<GitLine, "root">): string {
  return isMutual
    ? `if that is your repository, add under \`sandbox.paths\` of the config: ${line}`
    : `calls may have written ${visible(from)}; if you know that folder and want calls to use it, add under \`sandbox.paths\` of the config: ${line}`;
}

/** A missing root that git needs. */
export interface GitLine {
  readonly root: Root;
  readonly elsewhere: GitElsewhere;
  readonly line: string;
}

/** The missing roots that git needs to work in the given ones, each once. */
export function gitLines(roots: readonly Root[]): readonly GitLine[] {
  const open = roots.filter(({ mode }) => mode !== "none");
  const paths = open.map(({ path }) => path);
  const names = new Set(roots.map(({ name }) => name));
  // In a shared repository the last entry wins: that of a writable root.
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

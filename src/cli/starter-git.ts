import { gitLines } from "../config/git-findings.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";

/** The line of a starter config for the workspace root. */
const WORKSPACE = /^ {4}workspace: .*\n/m;

/**
 * A starter config with the roots that git needs if the folder's repository is elsewhere, as for a linked worktree. A
 * root that only the folder's own files name becomes a comment: a person decides whether it is intended.
 */
export function withGitRoots(text: string, folder: AbsolutePath): string {
  const root: Root = {
    name: "workspace",
    path: folder,
    mode: "rw",
    suffixes: "any",
    writeApproval: false,
    readApproval: false,
    at: null,
  };
  const lines = gitLines([root]).map(({ line, elsewhere: { isMutual } }) =>
    isMutual
      ? `    # The repository of this folder: git writes here when it commits.\n    ${line}\n`
      : `    # Git needs this folder as well. Remove the \`#\` if it is yours:\n    # ${line}\n`,
  );
  return text.replace(WORKSPACE, (workspace) => workspace + lines.join(""));
}

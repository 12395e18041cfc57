import { gitLines } from "../config/git-findings.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";

/** The line of a starter config that says what the folder itself is. */
const WORKSPACE = /^ {4}workspace: .*\n/m;

/**
 * A starter config with the roots that git needs where the repository of the folder lies elsewhere, as that of a linked
 * worktree does. What only the folder says is written as a comment: a person decides whether it is meant.
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
      ? `    # The repository of this folder: git writes there when it commits.\n    ${line}\n`
      : `    # Git of this folder needs this as well, if it is yours:\n    # ${line}\n`,
  );
  return text.replace(WORKSPACE, (workspace) => workspace + lines.join(""));
}

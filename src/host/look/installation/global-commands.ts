import { type AbsolutePath, joinPath, parentOf, upwards } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";

/**
 * Paths of a global installation's command, relative to a folder above its packages: npm and Bun in `bin`
 * (https://docs.npmjs.com/cli/configuring-npm/folders, https://bun.com/docs/pm/global-cache), pnpm there or, before 11,
 * in it (https://pnpm.io/settings#globalbindir), Yarn in a home (https://classic.yarnpkg.com/en/docs/cli/global).
 */
const COMMANDS = ["bin/cofferdam", "cofferdam", ".yarn/bin/cofferdam"];

/**
 * Finds the command of a global installation, even if PATH lacks its folder. Beside a script, as pnpm makes it, the
 * path of a `node` is added, missing or not: the script prefers that one (https://github.com/pnpm/cmd-shim).
 */
export function globalCommands(packages: readonly AbsolutePath[]): readonly AbsolutePath[] {
  const above = new Set(packages.flatMap((folder) => [...upwards(parentOf(folder))]));
  return [...above].flatMap((folder) =>
    COMMANDS.flatMap((name) => {
      const path = joinPath(folder, name);
      const stats = statsOf(path);
      if (stats?.isSymbolicLink() === true) return [path];
      return stats?.isFile() === true ? [path, joinPath(parentOf(path), "node")] : [];
    }),
  );
}

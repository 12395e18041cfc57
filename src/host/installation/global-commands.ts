import { type AbsolutePath, joinPath, parentOf, upwards } from "../../profile/path.ts";
import { statsOf } from "../nodes.ts";

/**
 * Where package managers put commands of what they install globally, from a folder above the packages: npm and Bun in `bin`
 * (https://docs.npmjs.com/cli/configuring-npm/folders, https://bun.com/docs/pm/global-cache), pnpm there or, before 11, right in it
 * (https://pnpm.io/settings#globalbindir), Yarn in one of the home folder (https://classic.yarnpkg.com/en/docs/cli/global).
 */
const COMMANDS = ["bin/cofferdam", "cofferdam", ".yarn/bin/cofferdam"];

/**
 * The commands of a package that is installed globally, which PATH need not find; and the Node that pnpm's, which are scripts, take
 * where it lies beside them (https://github.com/pnpm/cmd-shim), missing or not.
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

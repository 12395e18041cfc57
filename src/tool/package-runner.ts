import { fileNameOf } from "../shell/rule.ts";

/** Programs that download a package and run it, with the subcommand that does so; null if they do nothing else. */
const RUNNERS: ReadonlyMap<string, readonly string[] | null> = new Map([
  ["npx", null],
  ["pnpx", null],
  ["bunx", null],
  ["uvx", null],
  ["npm", ["exec", "x"]],
  ["pnpm", ["dlx"]],
  ["yarn", ["dlx"]],
  ["bun", ["x"]],
  ["pipx", ["run"]],
  ["uv", ["tool"]],
]);

/** The words of a command that download the package they run, such as `npx` or `pnpm dlx`. Null for other commands. */
export function packageRunner([program = "", subcommand = ""]: readonly string[]): string | null {
  const name = fileNameOf(program);
  const subcommands = RUNNERS.get(name);
  if (subcommands === undefined) return null;
  if (subcommands === null) return name;
  return subcommands.includes(subcommand) ? `${name} ${subcommand}` : null;
}

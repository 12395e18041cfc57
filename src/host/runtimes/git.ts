import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { textOf } from "./disk.ts";
import { parseGitConfig } from "./git-config.ts";
import { absoluteIn } from "./private.ts";
import type { Site } from "./site.ts";

const IDENTITY = ["user.name", "user.email"] as const;

/**
 * Who the caller is to git, as `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n` (git-config(1), since 2.31):
 * name and address alone, from `$XDG_CONFIG_HOME/git/config` and then `~/.gitconfig`, whose values win. No helper,
 * credential or alias of the caller comes along, and git is not run to ask for them.
 */
export function gitIdentity(site: Site): Readonly<Record<string, string>> {
  const settings = configFiles(site).flatMap((file) => parseGitConfig(textOf(site, file) ?? ""));
  const known = IDENTITY.flatMap((name) => {
    const value = settings.findLast((setting) => setting.name === name)?.value ?? "";
    return value === "" || value.includes("\0") ? [] : [{ name, value }];
  });
  if (known.length === 0) return {};
  const pairs = known.flatMap(({ name, value }, index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(known.length), ...Object.fromEntries(pairs) };
}

/** The files of git's global scope, the one that wins last. */
function configFiles(site: Site): readonly AbsolutePath[] {
  const { home } = site.user;
  const folder = absoluteIn(site, "XDG_CONFIG_HOME") ?? joinPath(home, ".config");
  return [joinPath(folder, "git/config"), joinPath(home, ".gitconfig")];
}

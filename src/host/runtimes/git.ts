import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { textOf } from "./disk.ts";
import { parseGitConfig } from "./git-config.ts";
import { absoluteIn } from "./private.ts";

const IDENTITY = ["user.name", "user.email"] as const;

/**
 * Who the caller is to git, as `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n` (git-config(1), since 2.31):
 * name and address alone, from `$XDG_CONFIG_HOME/git/config` and then `~/.gitconfig`, whose values win. No helper,
 * credential or alias of the caller comes along, and git is not run to ask for them.
 */
export function gitIdentity(host: Host): Readonly<Record<string, string>> {
  const settings = configFiles(host).flatMap((file) => parseGitConfig(textOf(file) ?? ""));
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
function configFiles(host: Host): readonly AbsolutePath[] {
  const { home } = host.user;
  const folder = absoluteIn(host, "XDG_CONFIG_HOME") ?? joinPath(home, ".config");
  return [joinPath(folder, "git/config"), joinPath(home, ".gitconfig")];
}

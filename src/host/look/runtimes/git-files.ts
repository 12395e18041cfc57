import { type AbsolutePath, isAbsolutePath, joinPath, knownPath, parentOf } from "../../../profile/path.ts";
import { settingsFrom } from "../git/written.ts";
import { reach, textOf } from "./disk.ts";
import { type GitSetting, parseGitConfig } from "./git-config.ts";
import { absoluteIn } from "./private.ts";
import type { RuntimeSite } from "./site.ts";

/** Settings in git's order of reading; some apply only under a condition. */
export type WrittenSetting =
  | GitSetting
  | { readonly condition: string; readonly settings: readonly WrittenSetting[] };

/** Maximum depth of includes; git stops there (config.c, `MAX_INCLUDE_DEPTH`). */
const DEEPEST_INCLUDE = 10;

/** Maximum of files, more than any real configuration has: a file that includes itself twice grows without end. */
const MAX_FILES = 64;

/** The system's, the person's and the environment's settings, with includes, without roots' files or running git. */
export function writtenSettings(site: RuntimeSite): readonly WrittenSetting[] {
  const reading: Reading = { site, left: MAX_FILES };
  return [
    ...systemFiles(site).flatMap((file) => settingsIn(file, reading, 0)),
    ...globalFiles(site).flatMap((file) => settingsIn(file, reading, 0)),
    ...settingsFrom(site.env),
  ];
}

interface Reading {
  readonly site: RuntimeSite;
  left: number;
}

/** The default folder of the person's files (git-config(1), FILES). */
export function folderOfPerson(site: RuntimeSite): AbsolutePath {
  return joinPath(absoluteIn(site, "XDG_CONFIG_HOME") ?? joinPath(site.user.home, ".config"), "git");
}

/** The file that a value names, from the home or the folder; null for one that depends on git's installation folder. */
export function writtenFile(
  site: RuntimeSite,
  written: string,
  folder: AbsolutePath | null,
): AbsolutePath | null {
  if (written === "" || /^(~[^/]|%\()/.test(written) || written.includes("\0")) return null;
  const path = written.startsWith("~/")
    ? `${site.user.home}${written.slice(1)}`
    : written.startsWith("/") || folder === null
      ? written
      : `${folder}/${written}`;
  if (isAbsolutePath(path)) return path;
  return path.startsWith("/") ? (reach(site, path)?.real ?? null) : null;
}

function systemFiles(site: RuntimeSite): readonly AbsolutePath[] {
  if (isTrue(site.env["GIT_CONFIG_NOSYSTEM"])) return [];
  const named = site.env["GIT_CONFIG_SYSTEM"];
  if (named !== undefined) return isAbsolutePath(named) ? [named] : [];
  return site.platform === "linux" ? [knownPath("/etc/gitconfig")] : [];
}

/** The one that takes precedence is last. */
function globalFiles(site: RuntimeSite): readonly AbsolutePath[] {
  const named = site.env["GIT_CONFIG_GLOBAL"];
  if (named !== undefined) return isAbsolutePath(named) ? [named] : [];
  return [joinPath(folderOfPerson(site), "config"), joinPath(site.user.home, ".gitconfig")];
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(value);
}

function settingsIn(file: AbsolutePath, reading: Reading, depth: number): readonly WrittenSetting[] {
  const { site } = reading;
  if (depth > DEEPEST_INCLUDE || reading.left <= 0) return [];
  reading.left -= 1;
  const base = parentOf(reach(site, file)?.real ?? file);
  return parseGitConfig(textOf(site, file) ?? "").flatMap((setting): readonly WrittenSetting[] => {
    if (!/^include(if\..*)?\.path$/s.test(setting.name)) return [setting];
    const included = writtenFile(site, setting.value ?? "", parentOf(file));
    if (included === null) return [];
    const settings = settingsIn(included, reading, depth + 1);
    if (setting.name === "include.path") return settings;
    const condition = conditionOf(setting.name.slice("includeif.".length, -".path".length), site, base);
    return condition === null || settings.length === 0 ? [] : [{ condition, settings }];
  });
}

/** The condition in a form without paths that depend on the home or the file. Null for one of another kind. */
function conditionOf(written: string, site: RuntimeSite, base: AbsolutePath): string | null {
  const [, kind = "", pattern = ""] =
    /^(gitdir(?:\/i)?|onbranch|hasconfig:remote\.\*\.url):(.+)$/s.exec(written) ?? [];
  if (kind === "" || /[\p{Cc}]/u.test(pattern)) return null;
  if (!kind.startsWith("gitdir")) return `${kind}:${pattern}`;
  const home = reach(site, site.user.home)?.real ?? site.user.home;
  if (pattern.startsWith("~/")) return `${kind}:${home}${pattern.slice(1)}`;
  if (pattern.startsWith("./")) return `${kind}:${base}${pattern.slice(1)}`;
  return pattern.startsWith("~") ? null : `${kind}:${pattern}`;
}

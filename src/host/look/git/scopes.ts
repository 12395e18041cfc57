import { type AbsolutePath, isAbsolutePath, joinPath, knownPath } from "../../../profile/path.ts";
import type { Host } from "../host.ts";
import type { GitSetting } from "../runtimes/git-config.ts";
import { homesOf } from "../user.ts";
import { settingsFrom } from "./written.ts";

/** The user whose configuration counts besides a repository's own. */
export type Caller = Pick<Host, "user" | "env">;

/** Configuration for every repository of the caller's, by one of the homes. */
export interface Everywhere {
  readonly home: AbsolutePath;
  readonly files: readonly AbsolutePath[];
  /** Settings from the environment. */
  readonly settings: readonly GitSetting[];
}

/** The scopes for every repository of the caller's (git-config(1), FILES and ENVIRONMENT). */
export function scopesOf(caller: Caller): readonly Everywhere[] {
  const { env } = caller;
  const xdg = env["XDG_CONFIG_HOME"];
  const named = [env["GIT_CONFIG_SYSTEM"], env["GIT_CONFIG_GLOBAL"]].flatMap((path) =>
    path !== undefined && isAbsolutePath(path) ? [path] : [],
  );
  return homesOf(caller).map((home) => {
    const folder = xdg !== undefined && isAbsolutePath(xdg) ? xdg : joinPath(home, ".config");
    const files = [...OF_THE_SYSTEM, joinPath(folder, "git/config"), joinPath(home, ".gitconfig")];
    const template = env["GIT_TEMPLATE_DIR"];
    const settings = template === undefined ? [] : [{ name: "init.templatedir", value: template }];
    return { home, files: [...files, ...named], settings: [...settings, ...settingsFrom(env)] };
  });
}

/** Paths of the system's file in builds of git: on macOS also Homebrew's and Apple's own. */
const OF_THE_SYSTEM = [
  "/etc/gitconfig",
  ...(process.platform === "darwin"
    ? [
        "/opt/homebrew/etc/gitconfig",
        "/usr/local/etc/gitconfig",
        "/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
        "/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
      ]
    : []),
].map(knownPath);

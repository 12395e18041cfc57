import { type AbsolutePath, nameOf, parentOf } from "../profile/path.ts";

/** A placeholder for a missing path while a call must not make it: a file with this text, or an empty folder (null). */
export interface Placeholder {
  readonly path: AbsolutePath;
  readonly text: string | null;
}

/**
 * Returns the placeholder for a path, by its name. Other programs see it while the call runs, so its content means
 * nothing to them:
 * - `.git/commondir` says `.`, its own folder, which is where git looks without it; an empty one, or a folder, makes
 *   git fail (gitrepository-layout(5), `get_common_dir_noenv` in setup.c);
 * - JSON is an empty object, every other file is empty;
 * - a name that does not tell its kind is a folder: `.git`, for example, which git ignores while it is empty.
 */
export function placeholderAt(path: AbsolutePath): Placeholder {
  return { path, text: textAt(path) };
}

function textAt(path: AbsolutePath): string | null {
  const name = nameOf(path);
  if (name === "commondir") return ".\n";
  if (name === "config" && parentOf(path).endsWith(".git")) return "";
  if (!isFileName(name)) return null;
  return name.endsWith(".json") ? "{}\n" : "";
}

function isFileName(name: string): boolean {
  if (/\.(?:d|git|app|framework|bundle)$/i.test(name)) return false;
  return /^.[^/]*\.[^./]+$/.test(name) || DOT_FILES.test(name);
}

const DOT_FILES =
  /^(?:\.[a-z]+rc|_netrc|\.(?:env|profile|login|bash_(?:profile|login|logout|aliases|history)|zsh(?:env|_history)|z(?:profile|login|logout)|gitconfig|gitmodules|gitattributes|git-credentials|pgpass|vault-token|boto|s3cfg|pam_environment|xprofile|xsession))$/;

import { type AbsolutePath, nameOf, parentOf } from "../profile/path.ts";

/** What stands in for a missing path while a call must not make it: a file with this text, or an empty folder (null). */
export interface Placeholder {
  readonly path: AbsolutePath;
  readonly text: string | null;
}

/**
 * What stands in for a path, by its name. Other programs see it for as long as the call runs, so it is what they take for
 * nothing said:
 * - `.git/commondir` says `.`, the folder that it lies in, which is where git looks without it; an empty one, or a folder,
 *   makes git fail (gitrepository-layout(5), `get_common_dir_noenv` in setup.c);
 * - JSON is an empty object, every other file is empty;
 * - a name that tells nothing is a folder: `.git`, say, which git passes over as long as it is empty.
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

/** `name.ending`, but for endings that folders have by custom; and the dot files that are known to be files. */
function isFileName(name: string): boolean {
  if (/\.(?:d|git|app|framework|bundle)$/i.test(name)) return false;
  return /^.[^/]*\.[^./]+$/.test(name) || DOT_FILES.test(name);
}

const DOT_FILES =
  /^(?:\.[a-z]+rc|_netrc|\.(?:env|profile|login|bash_(?:profile|login|logout|aliases|history)|zsh(?:env|_history)|z(?:profile|login|logout)|gitconfig|gitmodules|gitattributes|git-credentials|pgpass|vault-token|boto|s3cfg|pam_environment|xprofile|xsession))$/;

import { coversEnv, type EnvPattern } from "../profile/env-pattern.ts";

/** Names that bash obeys before it reads its line: they could change the command after it was judged. */
const OBEYED_BY_BASH = new Set(
  [
    "BASH_ENV ENV IFS PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH GLOBIGNORE",
    "POSIXLY_CORRECT BASH_COMPAT EXECIGNORE",
  ].flatMap((line) => line.split(" ")),
);

/** Names by which a loader, shell or interpreter runs something. NODE_PATH and the like only say where to search. */
const OBEYED_PREFIXES = ["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "LUA_INIT", "CORECLR_", "COR_"];
const OBEYED_NAMES = new Set(
  [
    ...OBEYED_BY_BASH,
    "ZDOTDIR",
    "NODE_OPTIONS PYTHONSTARTUP PYTHONBREAKPOINT PERL5OPT PERL5DB RUBYOPT GCONV_PATH",
    "PAGER MANPAGER LESSOPEN LESSCLOSE LESS MANOPT BROWSER EDITOR VISUAL RIPGREP_CONFIG_PATH TAR_OPTIONS RSYNC_RSH",
    "JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS DOTNET_STARTUP_HOOKS",
  ].flatMap((line) => line.split(" ")),
);

/** Prefixes of the names of functions that bash imports, in general and on macOS. */
const FUNCTIONS = ["BASH_FUNC_", "__BASH_FUNC<"];

/** Prefix of the variables that pass a program's words to the gate: no program receives one. */
export const RESERVED_PREFIX = "cofferdam_";

/** True if setting the name can make a program run something by itself. */
export function isObeyed(name: string): boolean {
  return OBEYED_NAMES.has(name) || OBEYED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * True if the caller's value of a name is passed on. A name that programs obey needs its own entry, not a wildcard such
 * as `*`. A name that changes how bash reads a line, or that is the gate's, is never passed.
 */
export function mayPass(patterns: readonly EnvPattern[], name: string): boolean {
  if (OBEYED_BY_BASH.has(name) || [...FUNCTIONS, RESERVED_PREFIX].some((own) => name.startsWith(own)))
    return false;
  return isObeyed(name) ? patterns.includes(name) : coversEnv(patterns, name);
}

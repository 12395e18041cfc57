import { coversEnv, type EnvPattern } from "../profile/env-pattern.ts";

/** Names that bash obeys before it has read its line: with them a command would be another one than was judged. */
const OBEYED_BY_BASH = new Set(
  [
    "BASH_ENV ENV IFS PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH GLOBIGNORE",
    "POSIXLY_CORRECT BASH_COMPAT EXECIGNORE",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Names that a program loader, shell or interpreter obeys: their values make it load or run something. Search paths
 * such as NODE_PATH and PYTHONPATH are left out: they only say where what a program asks for is looked up.
 */
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

/** What names of functions begin with that bash takes over, anybody's and that of macOS. */
const FUNCTIONS = ["BASH_FUNC_", "__BASH_FUNC<"];

/** The names of the variables by which the gate is handed a program's words begin so: no program has one. */
export const GATES_OWN = "cofferdam_";

/** True when setting the name can make a program run something by itself. */
export function isObeyed(name: string): boolean {
  return OBEYED_NAMES.has(name) || OBEYED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * True when the caller's value of a name comes along: not by a wildcard such as `*` where programs obey it, only by its
 * own name; and never where it would change what bash makes of a line, or is the gate's.
 */
export function mayPass(patterns: readonly EnvPattern[], name: string): boolean {
  if (OBEYED_BY_BASH.has(name) || [...FUNCTIONS, GATES_OWN].some((own) => name.startsWith(own))) return false;
  return isObeyed(name) ? patterns.includes(name) : coversEnv(patterns, name);
}

import type { Unstartable } from "../../decide/start-fault.ts";
import { visible } from "../../errors.ts";
import type { Denial } from "../../policy/denial.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { isOpaque } from "../../shell/word.ts";
import { lineOf, type ShellInput, wordsOf } from "../../tool/call.ts";
import { runtimeOf } from "../runtime-hint.ts";
import { type StartSight, whyUnstartable } from "../unstartable.ts";

export interface FailedCall {
  readonly input: ShellInput;
  readonly cwd: AbsolutePath;
  readonly profile: Profile;
  readonly code: number;
  readonly said: string;
  readonly notStarted?: string | null;
}

/** Messages of shells, env(1) and the C library about a program that could not be started. */
const NOT_STARTED =
  /not found|no such file or directory|bad interpreter|cannot execute|permission denied|\bENOENT\b|\bEACCES\b/i;
/** Shell statuses for a program that can't be run, and for a missing one. */
const STATUSES: readonly number[] = [126, 127];
/** `bash: line 1: node: command not found`, `sh: 1: node: not found`, `env: ‘node’: No such file or directory`. */
const MISSING_NAME =
  /(?:^|[\s:])[‘'"`]?([\w.+-]{1,64})[’'"`]?:? (?:command not found|not found|No such file or directory)/g;
const MAX_PROGRAMS = 32;

/**
 * The programs of a failed call that the sandbox could not start, and why. A command of the call counts if the output
 * names it. A program started by the program is reported only if it belongs to a known runtime that is not shown:
 * output selects, and proposes nothing.
 */
export function startDenials(failed: FailedCall, sight: StartSight): readonly Denial[] {
  const { input, cwd, profile, code, said, notStarted = null } = failed;
  const why = (word: string): Unstartable | null => whyUnstartable(word, cwd, profile, sight);
  if (notStarted !== null) {
    const [word] = wordsOf(input);
    return denialOf(
      word,
      why(word) ?? { reason: `it could not be started: ${visible(notStarted)}`, hint: UNKNOWN },
    );
  }
  if (!STATUSES.includes(code) && !NOT_STARTED.test(said)) return [];
  const own = programsOf(input).filter((one) => said.includes(one));
  const missing = Array.from(said.matchAll(MISSING_NAME), ([, name = ""]) => name);
  const known = missing.filter((name) => runtimeOf(name) !== null);
  const words = [...new Set([...own, ...known])].slice(0, MAX_PROGRAMS);
  return words.flatMap((word) => denialOf(word, why(word)));
}

function programsOf(input: ShellInput): readonly string[] {
  const line = lineForShell(input);
  const commands = [...lineOf(input).commands, ...(line === null ? [] : lineOf({ script: line }).commands)];
  return commands.flatMap(({ words: [word] }) => (isOpaque(word) ? [] : [word]));
}

/** `sh -c LINE` */
function lineForShell(input: ShellInput): string | null {
  const [program, option = "", line = null] = wordsOf(input);
  return /(^|\/)(ba|da|z|k)?sh$/.test(program) && /^-\w*c$/.test(option) ? line : null;
}

const UNKNOWN =
  "check that this user may execute it and the program in its first line, and that their file systems are not mounted with `noexec`";

function denialOf(word: string, fault: Unstartable | null): readonly Denial[] {
  if (fault === null) return [];
  const { reason, hint } = fault;
  return [{ operation: "run", target: visible(word), certainty: "certain", because: reason, remedy: hint }];
}

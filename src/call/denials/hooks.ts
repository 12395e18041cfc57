import type { Repository } from "../../backend/repositories.ts";
import type { Unstartable } from "../../decide/start-fault.ts";
import { visible } from "../../errors.ts";
import { smallTextOf } from "../../host/look/git/beginnings.ts";
import { hooksOf } from "../../host/look/git/hooks.ts";
import { firstNamesIn } from "../../host/look/names-in.ts";
import { statsOf, systemPath } from "../../host/look/nodes.ts";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, nameOf } from "../../profile/path.ts";
import type { PlanLimit } from "./plan-limits.ts";

/** The hooks that may have run, and a check whether a program can be started; null if nothing prevents it. */
export interface HookWork {
  readonly repositories: readonly Pick<Repository, "kind" | "path" | "hooks">[];
  readonly limits: readonly PlanLimit[];
  readonly whyUnstartable: (program: string) => Unstartable | null;
}

/** Messages of shells and env(1) about a missing program, with its name. */
const MISSING: readonly RegExp[] = [
  /[`'‘"]?([\w.+@-]+)[`'’"]?:? (?:command )?not found/g,
  /env: [`'‘"]?([\w.+@-]+)[`'’"]?: No such file or directory/g,
];
/** Messages of git and shells about a hook that could not be started, with its name. */
const UNSTARTED: readonly RegExp[] = [
  /cannot (?:run|exec|spawn) [`'‘"]?(?:[^\s'"`]*\/)?([\w.-]+)[`'’"]?: No such file or directory/g,
  /([\w.+@-]+): (?:bad interpreter|cannot execute): ?[^\n]*No such file or directory/g,
];
const MAX_NAMES = 20;
const MAX_HOOKS = 100;
/** Longer hooks are not read: no person writes one. */
const MAX_HOOK_BYTES = 64 * 1024;

/**
 * Programs that a git hook was to start and that are not inside. The call's output only selects among the words of
 * hooks that it could not change: it proposes no program.
 */
export function hookDenials(said: string, work: HookWork): readonly Denial[] {
  const [programs, unstarted] = [namesIn(said, MISSING), namesIn(said, UNSTARTED)];
  if (programs.length + unstarted.length === 0) return [];
  const hooks = hooksIn(work);
  const started = hooks.flatMap((hook) => {
    const words = new Set(hook.text.split(/[^\w.+@-]+/));
    const interpreter = unstarted.includes(nameOf(hook.path)) ? interpreterOf(hook.text) : null;
    return [
      ...programs.filter((name) => words.has(name)),
      ...(interpreter === null ? [] : [interpreter]),
    ].map((program) => ({ program, hook: hook.path }));
  });
  const first = new Map(started.toReversed().map((one) => [one.program, one]));
  return [...first.values()].reverse().flatMap(({ program, hook }): Denial[] => {
    const fault = work.whyUnstartable(program);
    if (fault === null) return [];
    const because = `the hook ${visible(hook)} starts it: ${fault.reason}`;
    return [
      { operation: "run", target: visible(program), certainty: "certain", because, remedy: fault.hint },
    ];
  });
}

function namesIn(said: string, how: readonly RegExp[]): readonly string[] {
  const names = how.flatMap((one) => [...said.matchAll(one)].flatMap(([, name]) => name ?? []));
  return [...new Set(names)].slice(0, MAX_NAMES);
}

interface Hook {
  readonly path: AbsolutePath;
  readonly text: string;
}

/** Hooks held as they are, with their text; husky's lie beside the folder that git uses. */
function hooksIn({ repositories, limits }: HookWork): readonly Hook[] {
  const held = limits.filter(({ kind }) => kind === "held");
  const isHeld = (path: AbsolutePath): boolean => held.some((one) => isInside(path, one.path));
  const folders = repositories.flatMap(({ kind, path, hooks }) => [
    ...(kind === "folder" ? [joinPath(path, "hooks")] : []),
    ...hooks,
  ]);
  const ofGit = [...new Set(folders)].flatMap((folder) =>
    hooksOf(folder, { see: statsOf, unread: [] }).map(({ path }) => path),
  );
  const husky = held.flatMap(({ path }) => (nameOf(path) === ".husky" ? filesIn(path) : []));
  const found = [...new Set([...ofGit, ...husky])];
  return found
    .filter(isHeld)
    .slice(0, MAX_HOOKS)
    .map((path) => ({ path, text: smallTextOf(path, MAX_HOOK_BYTES) }));
}

/** The program of the first line (execve(2)); after `env`, a name for PATH. */
function interpreterOf(text: string): string | null {
  const [, path = "", first] = /^#!\s*(\S+)(?:\s+([\w.+@-]+))?/.exec(text) ?? [];
  if (!isAbsolutePath(path)) return null;
  return nameOf(path) === "env" ? (first ?? null) : path;
}

/** Husky runs its hooks by a shell, so that they need not be executable. */
function filesIn(folder: AbsolutePath): readonly AbsolutePath[] {
  try {
    const paths = firstNamesIn(systemPath(folder), MAX_HOOKS).map((name) => joinPath(folder, name));
    return paths.filter((path) => statsOf(path)?.isFile() === true);
  } catch {
    return [];
  }
}

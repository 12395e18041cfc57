import type { Repository } from "../backend/repositories.ts";
import { visible } from "../errors.ts";
import { smallTextOf } from "../host/git/beginnings.ts";
import { hooksOf } from "../host/git/hooks.ts";
import { firstNamesIn } from "../host/names-in.ts";
import { statsOf, systemPath } from "../host/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, nameOf } from "../profile/path.ts";
import type { Denial } from "./denial.ts";
import type { PlanLimit } from "./plan-limits.ts";
import type { Unstartable } from "./start-fault.ts";

/** Where hooks may lie, and why a program can't be started; null where nothing speaks against it. */
export interface HookWork {
  readonly repositories: readonly Pick<Repository, "kind" | "path" | "hooks">[];
  readonly limits: readonly PlanLimit[];
  readonly whyUnstartable: (program: string) => Unstartable | null;
}

/** How shells and env(1) tell that a program is not there; what of it is its name. */
const MISSING: readonly RegExp[] = [
  /[`'‘"]?([\w.+@-]+)[`'’"]?:? (?:command )?not found/g,
  /env: [`'‘"]?([\w.+@-]+)[`'’"]?: No such file or directory/g,
];
/** How git and shells tell that a hook could not be started, and the hook's name. */
const UNSTARTED: readonly RegExp[] = [
  /cannot (?:run|exec|spawn) [`'‘"]?(?:[^\s'"`]*\/)?([\w.-]+)[`'’"]?: No such file or directory/g,
  /([\w.+@-]+): (?:bad interpreter|cannot execute): ?[^\n]*No such file or directory/g,
];
const MAX_NAMES = 20;
const MAX_HOOKS = 100;
/** A longer hook is no hook of a person's. */
const MAX_HOOK_BYTES = 64 * 1024;

/**
 * Programs that a hook of git's was to start and that are not inside. What the call said selects among the words of hooks
 * that it could not change: it proposes no program.
 */
export function hookDenials(said: string, work: HookWork): readonly Denial[] {
  const [programs, unstarted] = [namesIn(said, MISSING), namesIn(said, UNSTARTED)];
  if (programs.length + unstarted.length === 0) return [];
  const hooks = hooksIn(work);
  const started = hooks.flatMap((hook) => {
    const words = wordsOf(hook.text);
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

/** Hooks that are held as they are, with what they say; husky's lie beside the folder that git is led to. */
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

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/[^\w.+@-]+/));
}

/** What the first line names (execve(2)); behind `env` that is a name for PATH. */
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

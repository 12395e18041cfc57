import type { Repository } from "../backend/repositories.ts";
import { visible } from "../errors.ts";
import { smallTextOf } from "../host/git/beginnings.ts";
import { hooksOf } from "../host/git/hooks.ts";
import { statsOf } from "../host/nodes.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, nameOf } from "../profile/path.ts";
import type { Denial } from "./denial.ts";
import type { PlanLimit } from "./plan-limits.ts";

/** Where hooks may lie, and what a program can start. */
export interface HookWork {
  readonly repositories: readonly Pick<Repository, "kind" | "path" | "hooks">[];
  readonly limits: readonly PlanLimit[];
  /** PATH inside. */
  readonly path: readonly AbsolutePath[];
}

/** How shells, env(1) and git tell that a program is not there; what of it is its name, or the hook that was to run. */
const MISSING: readonly RegExp[] = [
  /[`'‘"]?([\w.+@-]+)[`'’"]?:? (?:command )?not found/g,
  /env: [`'‘"]?([\w.+@-]+)[`'’"]?: No such file or directory/g,
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
  const names = new Set(MISSING.flatMap((how) => [...said.matchAll(how)].flatMap(([, name]) => name ?? [])));
  if (names.size === 0) return [];
  const hooks = hooksIn(work);
  return [...names].slice(0, MAX_NAMES).flatMap((name) => {
    const hook = hooks.find((one) => wordsOf(one.text).has(name) || nameOf(one.path) === name);
    if (hook === undefined) return [];
    const program = nameOf(hook.path) === name ? interpreterOf(hook.text) : name;
    return program === null || isInPath(program, work.path) ? [] : [denialOf(program, hook.path)];
  });
}

function denialOf(program: string, hook: AbsolutePath): Denial {
  const name = program.split("/").at(-1) ?? program;
  return {
    operation: "run",
    target: `\`${program}\``,
    certainty: "certain",
    because: `the hook ${visible(hook)} starts it, and it is not in the sandbox`,
    remedy: `list the folder that it is installed in under \`sandbox.runtimes\` in the config: \`{ name: ${name}, read: [FOLDER] }\`; \`command -v ${name}\` tells which`,
  };
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
  const husky = held.flatMap(({ path }) => (nameOf(path) === ".husky" ? [path] : []));
  const found = [...new Set([...folders, ...husky])].flatMap((folder) =>
    hooksOf(folder, { see: statsOf, unread: [] }).map(({ path }) => path),
  );
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

function isInPath(program: string, folders: readonly AbsolutePath[]): boolean {
  if (isAbsolutePath(program))
    return folders.some((folder) => isInside(program, folder)) && statsOf(program) !== null;
  return folders.some((folder) => statsOf(joinPath(folder, program)) !== null);
}

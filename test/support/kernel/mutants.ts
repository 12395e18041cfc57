import type { MountPlan, PlanClause } from "../../../src/backend/plan.ts";
import { isInside, nameOf } from "../../../src/profile/path.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import type { Tampering } from "./enter.ts";
import { replaceRun, withArgs, withClauses, withOrder } from "./tamper.ts";

/** Mistakes that a renderer could make, by what it then does. A test that finds no act that they allow is worth nothing. */
export const MUTANTS: Readonly<Record<string, Tampering>> = {
  "pins nothing": { plan: (plan) => withClauses(plan, (clause) => (isPin(plan, clause) ? [] : clause.args)) },
  "mounts what lies deepest first": { plan: (plan) => withOrder(plan, (clauses) => clauses.toReversed()) },
  "mounts everything writable": {
    plan: (plan) =>
      withClauses(plan, ({ path, args }) =>
        args[0] === "--ro-bind" && args[1] === path ? ["--bind", path, path] : args,
      ),
  },
  "hides no file": {
    plan: (plan) => withClauses(plan, ({ path, args }) => (isHiddenFile(path, args) ? [] : args)),
  },
  "hides no folder": {
    plan: (plan) => withClauses(plan, ({ args }) => (args.includes("--tmpfs") ? [] : args)),
  },
  "hides folders without sealing them": {
    plan: (plan) =>
      plan.clauses
        .filter(({ args }) => args.includes("--tmpfs"))
        .reduce((before, { path }) => without(before, ["--remount-ro", path]), plan),
  },
  "puts no mount on a link": { plan: withoutCovers },
  "leaves the base open": { plan: (plan) => without(plan, ["--remount-ro", "/"]) },
  "holds nothing that is missing": {
    plan: (plan) => ({
      ...withClauses(plan, (clause) =>
        plan.placeholders.some(({ path }) => path === clause.path) ? [] : clause.args,
      ),
      placeholders: [],
    }),
  },
  "finds nothing that a glob matches": { facts: (facts) => ({ ...facts, hits: [] }) },
  "finds only some of what a glob matches": { facts: (facts) => ({ ...facts, hits: facts.hits.slice(1) }) },
  "shows every file of a folder with a suffix list": {
    profile: (profile) =>
      normalProfile({ ...profile, files: profile.files.map((entry) => ({ ...entry, suffixes: "any" })) }),
  },
  "compares letters as they are": {
    profile: (profile) =>
      normalProfile({ ...profile, masks: profile.masks.map((mask) => ({ ...mask, ignoreCase: false })) }),
  },
  "takes no notice of an entry that grants nothing": {
    profile: (profile) =>
      normalProfile({ ...profile, files: profile.files.filter((entry) => entry.access !== "none") }),
  },
  "shows the folder that holds a grant": {
    plan: (plan) =>
      withClauses(plan, ({ path, args }) =>
        args[0] === "--bind" &&
        !plan.clauses.some((other) => other.path !== path && isInside(path, other.path))
          ? ["--bind", folderOf(path), folderOf(path)]
          : args,
      ),
  },
};

/** Mistakes that few random cases make known: each has a case of its own. */
export const RARE_MUTANTS: Readonly<Record<string, Tampering>> = {
  "takes no notice of what was not searched": { facts: (facts) => ({ ...facts, unsearched: [] }) },
  "holds nothing that is missing, by any name of it": {
    plan: (plan) => {
      const names = new Set(plan.placeholders.map(({ path }) => nameOf(path)));
      const left = withClauses(plan, ({ path, args }) => (names.has(nameOf(path)) ? [] : args));
      return { ...left, placeholders: [] };
    },
  },
};

/** A writable mount on a writable mount changes nothing but that it can't be moved. */
function isPin(plan: MountPlan, { path, args }: PlanClause): boolean {
  const above = plan.clauses.filter((other) => other.path !== path && isInside(path, other.path)).at(-1);
  return args[0] === "--bind" && above?.args[0] === "--bind";
}

/** Perl is told how many links there are before it is told which. */
function withoutCovers(plan: MountPlan): MountPlan {
  const count = plan.argv.indexOf("-e") + 4;
  if (count < 4 || plan.argv.indexOf("-c") < count) return plan;
  const links = Number(plan.argv[count]);
  return { ...plan, argv: [...plan.argv.slice(0, count), "0", ...plan.argv.slice(count + 1 + links)] };
}

function isHiddenFile(path: string, args: readonly string[]): boolean {
  return (args[0] === "--ro-bind" && args[1] !== path) || args.includes("--ro-bind-data");
}

function without(plan: MountPlan, run: readonly string[]): MountPlan {
  return withArgs(plan, (args) => replaceRun(args, run, []));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

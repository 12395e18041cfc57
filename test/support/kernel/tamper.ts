import type { MountPlan, PlanClause } from "../../../src/backend/plan.ts";
import { pathFromBytes, pathToBytes } from "../../../src/profile/path.ts";

/** The launcher's options are read from this descriptor (`--args 3`). */
const ARGS_FD = 3;

/** The plan with other options for the launcher. What is expected of the sandbox stays as it was. */
export function withArgs(plan: MountPlan, edit: (args: readonly string[]) => readonly string[]): MountPlan {
  const inputs = plan.inputs.map((input) => {
    if (input.fd !== ARGS_FD || !("bytes" in input)) return input;
    const args = pathFromBytes(input.bytes).split("\0").slice(0, -1);
    return {
      ...input,
      bytes: pathToBytes(
        edit(args)
          .map((arg) => `${arg}\0`)
          .join(""),
      ),
    };
  });
  return { ...plan, inputs };
}

/** The plan with each clause's options replaced; where the new ones make no folder, it is not sealed either. */
export function withClauses(plan: MountPlan, replace: (clause: PlanClause) => readonly string[]): MountPlan {
  return withArgs(plan, (args) =>
    plan.clauses.reduce<readonly string[]>((before, clause) => {
      const args = replace(clause);
      const after = replaceRun(before, clause.args, args);
      return isSealed(clause.args) && !isSealed(args)
        ? replaceRun(after, ["--remount-ro", clause.path], [])
        : after;
    }, args),
  );
}

/** The plan with its clauses in another order. */
export function withOrder(
  plan: MountPlan,
  order: (clauses: readonly PlanClause[]) => readonly PlanClause[],
): MountPlan {
  const flat = (clauses: readonly PlanClause[]): readonly string[] =>
    clauses.flatMap((clause) => clause.args);
  return withArgs(plan, (args) => replaceRun(args, flat(plan.clauses), flat(order(plan.clauses))));
}

function isSealed(args: readonly string[]): boolean {
  return args.includes("--tmpfs");
}

/** The words with the first run of some of them replaced. Throws when there is none: then nothing would be tampered with. */
export function replaceRun(
  words: readonly string[],
  run: readonly string[],
  by: readonly string[],
): readonly string[] {
  const at = words.findIndex((_, start) => run.every((word, offset) => words[start + offset] === word));
  if (at < 0) throw new Error(`the plan has no ${run.join(" ")}`);
  return [...words.slice(0, at), ...by, ...words.slice(at + run.length)];
}

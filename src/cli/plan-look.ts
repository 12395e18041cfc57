import { MANY_MOUNTS } from "../backend/bubblewrap/render.ts";
import type { Facts } from "../backend/facts.ts";
import type { Plan } from "../backend/plan.ts";
import { closedRepositories, openedBy, whyClosed } from "../backend/repositories.ts";
import { type ConfigFinding, failure, warning } from "../config/finding.ts";
import type { Prepared, PreparedRun } from "../decide/prepare.ts";
import { CofferdamError, visible } from "../errors.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { pathRuler } from "../profile/access-to.ts";
import { isInside } from "../profile/path.ts";
import type { Draft } from "../session/draft.ts";
import type { Root } from "../tool/facts.ts";
import { deviceFindings } from "./device-findings.ts";

/** The restrictions in a root, as paths from the root. */
export interface MaskedRoot {
  readonly root: Root;
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** The plan of an ordinary call, and what it shows about a config. */
export interface PlanLook {
  readonly plan: Plan | null;
  readonly roots: readonly MaskedRoot[];
  readonly findings: readonly ConfigFinding[];
}

/** Makes the plan of a call and reports its problems. Nothing is run. */
export async function lookAtPlan(draft: Draft): Promise<PlanLook> {
  const { settings } = draft.policy;
  const [cwd] = settings.roots.map((root) => root.path);
  const none = (finding: ConfigFinding): PlanLook => ({
    plan: null,
    roots: settings.roots.map((root) => ({ root, readOnly: [], hidden: [] })),
    findings: [finding],
  });
  let prepared: Prepared;
  try {
    prepared = await draft.prepare({ argv: ["true"], ...(cwd === undefined ? {} : { cwd }) });
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const severity = error.code === "SANDBOX_UNAVAILABLE" ? "warning" : "error";
    return none({
      severity,
      message: `no sandbox plan is possible: ${error.message}`,
      hint: error.hint ?? "run `cofferdam doctor`",
      at: null,
    });
  }
  const { withApproval: side, facts } = prepared;
  const { rendering } = side;
  switch (rendering.kind) {
    case "plan":
      return {
        plan: rendering.plan,
        roots: settings.roots.map((root) => maskedIn(root, rendering.plan, side)),
        findings: [
          ...deviceFindings(draft.loaded.config, side.profile, facts),
          ...manyRepositories(facts),
          ...limitFindings(rendering.plan),
          ...manyMounts(rendering.plan),
        ],
      };
    case "not-found":
      return none(
        failure(
          "no program can start: `true` is missing in the sandbox",
          "add `system` to `sandbox.runtimes`",
          null,
        ),
      );
    case "denied":
    case "refusal":
      return none(
        failure(`no sandbox plan is possible: ${rendering.refusal.reason}`, rendering.refusal.remedy, null),
      );
  }
}

const MAX_LISTED = 3;

/** Limits that the config does not mention, one line each. A kind with many shows only its first ones. */
export function limitFindings({ limits }: Pick<Plan, "limits">): readonly ConfigFinding[] {
  const unsaid = limits.filter(({ name }) => !AS_CONFIGURED.includes(name));
  return [...Map.groupBy(unsaid, ({ name }) => name).values()].flatMap((all) => {
    const more = all.length - MAX_LISTED;
    return all.slice(0, MAX_LISTED).map(({ reason, remedy }, at): ConfigFinding => {
      const others = more > 0 && at === MAX_LISTED - 1 ? `; and ${more} more of this kind` : "";
      return warning(`${reason}${others}`, remedy, null);
    });
  });
}

/** Limits that the config itself requests, or that are read-only by name already. */
const AS_CONFIGURED: readonly string[] = ["suffix-snapshot", "link-target"];

/** Rules cost next to nothing, and more than the maximum is a refusal. */
function manyMounts({ kind, clauses }: Plan): readonly ConfigFinding[] {
  if (kind === "rules" || clauses.length < MANY_MOUNTS) return [];
  const hint = "list smaller folders under `sandbox.paths`, or fewer runtimes";
  return [warning(`a call needs ${clauses.length} mounts, which makes each call slow`, hint, null)];
}

const MAX_NAMED = 5;

function manyRepositories({ repositories }: Facts): readonly ConfigFinding[] {
  const closed = closedRepositories(repositories).map(({ tree }) => visible(tree));
  if (closed.length === 0) return [];
  const more = closed.length > MAX_NAMED ? ` and ${closed.length - MAX_NAMED} more` : "";
  return [
    warning(
      `${whyClosed(repositories)}; read-only are those of ${closed.slice(0, MAX_NAMED).join(", ")}${more}`,
      openedBy("one of these folders"),
      null,
    ),
  ];
}

function maskedIn(root: Root, { clauses }: Plan, { profile }: PreparedRun): MaskedRoot {
  const ruler = pathRuler(profile);
  const accessAt = (path: typeof root.path): Access =>
    ruler(path, { kind: "folder", bornInside: false }).access;
  const given = accessAt(root.path);
  const cut = clauses.filter(
    ({ path }) => path !== root.path && isInside(path, root.path) && !isAtMost(given, accessAt(path)),
  );
  const names = (access: Access): readonly string[] => [
    ...new Set(
      cut.filter(({ path }) => accessAt(path) === access).map(({ path }) => path.slice(root.path.length + 1)),
    ),
  ];
  return { root, readOnly: names("read"), hidden: names("none") };
}

import { MANY_MOUNTS } from "../backend/bubblewrap/render.ts";
import type { Facts } from "../backend/facts.ts";
import type { Plan } from "../backend/plan.ts";
import { closedRepositories, openedBy, whyClosed } from "../backend/repositories.ts";
import type { Finding } from "../config/finding.ts";
import { CofferdamError, visible } from "../errors.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { pathRuler } from "../profile/access-to.ts";
import { isInside } from "../profile/path.ts";
import type { Draft } from "../supervisor/draft.ts";
import type { Prepared, Side } from "../supervisor/prepare.ts";
import type { Root } from "../tool/facts.ts";
import { deviceFindings } from "./device-findings.ts";

/** What something in a root is cut down to, as paths from the root. */
export interface MaskedRoot {
  readonly root: Root;
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** What the plan of an ordinary call shows about a config. */
export interface PlanLook {
  readonly plan: Plan | null;
  readonly roots: readonly MaskedRoot[];
  readonly findings: readonly Finding[];
}

/** Has the plan of a call made, and tells what is wrong with it. Nothing is run. */
export async function lookAtPlan(draft: Draft): Promise<PlanLook> {
  const { settings } = draft.standing;
  const [cwd] = settings.roots.map((root) => root.path);
  const none = (finding: Finding): PlanLook => ({
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
      message: `no plan can be made: ${error.message}`,
      hint: error.hint ?? "run `cofferdam doctor`",
      at: null,
    });
  }
  const { onYes: side, facts } = prepared;
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
      return none({
        severity: "error",
        message: "no program can start: there is not even `true` inside",
        hint: "add `system` to `sandbox.runtimes`",
        at: null,
      });
    case "denied":
    case "refusal":
      return none({
        severity: "error",
        message: `no plan can be made: ${rendering.refusal.reason}`,
        hint: rendering.refusal.remedy,
        at: null,
      });
  }
}

/** So many limits of a kind are told one by one. */
const MOST_TOLD = 3;

/** Limits that the config doesn't speak of: one line each, of a kind that has many, its first ones and how many more. */
export function limitFindings({ limits }: Pick<Plan, "limits">): readonly Finding[] {
  const unsaid = limits.filter(({ name }) => !AS_CONFIGURED.includes(name));
  return [...Map.groupBy(unsaid, ({ name }) => name).values()].flatMap((all) => {
    const more = all.length - MOST_TOLD;
    return all.slice(0, MOST_TOLD).map(({ reason, remedy }, at): Finding => {
      const others = more > 0 && at === MOST_TOLD - 1 ? `; and ${more} more of this kind` : "";
      return { severity: "warning", message: `${reason}${others}`, hint: remedy, at: null };
    });
  });
}

/** What the config itself asks for, or what is read-only by its own name already. */
const AS_CONFIGURED: readonly string[] = ["suffix-snapshot", "link-target"];

/** Rules cost next to nothing, and more of them than can be had is a refusal. */
function manyMounts({ kind, clauses }: Plan): readonly Finding[] {
  if (kind === "rules" || clauses.length < MANY_MOUNTS) return [];
  const hint =
    "list the folders that calls work in as roots, in place of one that holds them all, or list fewer runtimes";
  return [
    {
      severity: "warning",
      message: `a call needs ${clauses.length} mounts, and what it costs grows with their square`,
      hint,
      at: null,
    },
  ];
}

/** So many repositories are told by name. */
const MOST_NAMED = 5;

function manyRepositories({ repositories }: Facts): readonly Finding[] {
  const closed = closedRepositories(repositories).map(({ tree }) => visible(tree));
  if (closed.length === 0) return [];
  const more = closed.length > MOST_NAMED ? ` and ${closed.length - MOST_NAMED} more` : "";
  return [
    {
      severity: "warning",
      message: `${whyClosed(repositories)}; read-only are those of ${closed.slice(0, MOST_NAMED).join(", ")}${more}`,
      hint: openedBy("one of these folders"),
      at: null,
    },
  ];
}

function maskedIn(root: Root, { clauses }: Plan, { profile }: Side): MaskedRoot {
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

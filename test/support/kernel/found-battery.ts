import { joinPath } from "../../../src/profile/path.ts";
import { type Outcome, tryCase } from "./agreement.ts";
import { describeScene } from "./describe.ts";
import { CLOSED, FOUND, type Found } from "./found.ts";
import type { Judged } from "./judge.ts";
import { MUTANTS, RARE_MUTANTS } from "./mutants.ts";
import type { Report } from "./report.ts";
import type { Stage } from "./stage.ts";

/** Tries the cases that were found once; each as it is, and with the mistake that lets the act happen. */
export async function tryFound(stage: Stage): Promise<Omit<Report, "left">> {
  const began = performance.now();
  const broken: string[] = [];
  for (const [name, found] of Object.entries(FOUND)) {
    const reason = await reasonAgainst(stage, found).catch(String);
    if (reason !== null) broken.push(`${name}: ${reason}`);
  }
  const closed = await tryCase(stage, CLOSED);
  if (stage.host.user.uid !== 0 && closed.kind !== "refused")
    broken.push("a folder that its owner closed is not refused");
  return {
    cases: Object.keys(FOUND).length + 1,
    refused: {},
    probes: 0,
    counts: {},
    failure: broken.length === 0 ? null : broken.join("\n"),
    milliseconds: Math.round(performance.now() - began),
  };
}

async function reasonAgainst(stage: Stage, { case: one, act, mutant }: Found): Promise<string | null> {
  const outcome = await tryCase(stage, one);
  if (outcome.kind === "refused") return `refused: ${outcome.reason}`;
  const wrong = outcome.judged.filter(({ verdict }) => verdict === "upward" || verdict === "unexplained");
  if (wrong.length > 0) return describeScene(outcome.scene, wrong);
  // Where nobody can mount there is no second name to act on.
  if (act === null || (one.tree.bind !== null && !stage.canMount)) return null;
  if (actIn(outcome, act)?.kernel !== "denied") return `${act.op} ${act.path} was not tried, or not denied`;
  const other = await tryCase(stage, one, mutant === null ? {} : { ...MUTANTS, ...RARE_MUTANTS }[mutant]);
  return other.kind === "judged" && actIn(other, act)?.kernel === "allowed"
    ? null
    : `${act.op} ${act.path} is denied to a renderer that ${String(mutant)} as well`;
}

function actIn(
  outcome: Outcome & { readonly kind: "judged" },
  { op, path }: NonNullable<Found["act"]>,
): Judged | undefined {
  return outcome.judged.find(
    ({ probe }) => probe.op === op && probe.path === joinPath(outcome.scene.tree.place, path),
  );
}

/**
 * Takes each clause out of the plan that the selftest's attacks run under, one at a time, and prints a row for each: which
 * attacks get through then. Every mutant has folders of its own, because what gets through changes them.
 */
import type { GatedPlan, PlanClause } from "../../../src/backend/plan.ts";
import { thisHost } from "../../../src/host/host.ts";
import { trialAnswers, trialScript } from "../../../src/host/trial-script.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { isInside, pathFromBytes, pathToBytes } from "../../../src/profile/path.ts";
import { ofBounds } from "../../../src/selftest/cases/bounds.ts";
import { ofMasks } from "../../../src/selftest/cases/masks.ts";
import { ofRepositories } from "../../../src/selftest/cases/repositories.ts";
import { type Ground, prepareGround } from "../../../src/selftest/ground.ts";
import { createSupervisor } from "../../../src/supervisor/supervisor.ts";
import { launchUnproven } from "./unproven.ts";

const host = thisHost({ operatorFolders: [] });
const first = await tryWithout(null);
process.stdout.write(`${JSON.stringify({ clause: "nothing", red: first.red })}\n`);
for (const clause of first.clauses)
  process.stdout.write(`${JSON.stringify({ clause, red: (await tryWithout(clause)).red })}\n`);
process.stdin.destroy();

/** Runs the attacks without one clause, told by its words below the place; every clause that could be left out. */
async function tryWithout(clause: string | null) {
  using ground = prepareGround({ word: "word", asRoot: false, platform: "linux" });
  await using supervisor = await createSupervisor({
    config: ground.config,
    profiles: [ground.profile],
    cwd: ground.ws,
    host,
    journal: new MemoryJournal(),
  });
  const { walls, ledger } = supervisor.shared;
  if (walls.kind !== "standing") throw walls.error;
  const cases = [ofMasks, ofRepositories, ofBounds].flatMap((of) =>
    of({ ...ground, pid: 1, word: "word", port: 1, abstract: "", home: "/" }).filter(
      ({ claim, on }) => claim !== "limit" && on !== "darwin",
    ),
  );
  const argv = ["sh", "-c", trialScript(cases.map(({ attack }) => attack))] as const;
  const { rendering } = (await supervisor.session({ caller: "person" }).prepare({ argv })).onYes;
  if (rendering.kind !== "plan" || rendering.plan.kind === "rules")
    throw new Error(JSON.stringify(rendering));
  const { plan } = rendering;
  await using _held = await ledger.hold(host.id(), plan.placeholders);
  const protecting = plan.clauses.filter((one) => protects(one, ground));
  const left = protecting.find((one) => nameOf(one, ground) === clause);
  const { stdout, stderr } = await launchUnproven(left === undefined ? plan : without(plan, left, ground), {
    surroundings: walls.surroundings,
    runAs: walls.machine.runAs,
  });
  const answers = trialAnswers(stdout);
  if (answers.length !== cases.length) throw new Error(`${clause}: ${answers.length} answers: ${stderr}`);
  return {
    clauses: protecting.map((one) => nameOf(one, ground)),
    red: cases.filter((_, at) => answers[at] === true).map(({ title }) => title),
  };
}

/** What grants something protects nothing, but for a root to read, which could be shown to write. */
function protects({ path }: PlanClause, { ws, docs }: Ground): boolean {
  return path === docs || (path !== ws && isInside(path, ws));
}

function nameOf({ path, args }: PlanClause, ground: Ground): string {
  const place = ground.ws.slice(0, -"/ws".length);
  return `${args[0] === "--perms" ? args[2] : args[0]} ${path.slice(place.length)}`;
}

/** The plan without a mount, and without what seals it; a root to read is shown to write. */
function without(plan: GatedPlan, { path, args }: PlanClause, { docs }: Ground): GatedPlan {
  const inputs = plan.inputs.map((input) => {
    if (input.fd !== 3 || !("bytes" in input)) return input;
    const options = pathFromBytes(input.bytes).split("\0").slice(0, -1);
    const at = options.findIndex((_, index) =>
      args.every((word, offset) => options[index + offset] === word),
    );
    const by = path === docs ? ["--bind", path, path] : [];
    const kept = options.toSpliced(at, args.length, ...by);
    const seal = kept.findIndex((word, index) => word === "--remount-ro" && kept[index + 1] === path);
    const all = seal < 0 || args.includes("--bind") ? kept : kept.toSpliced(seal, 2);
    return { fd: input.fd, bytes: pathToBytes(`${all.join("\0")}\0`) };
  });
  return { ...plan, inputs };
}

/**
 * Takes each clause out of the plan that the selftest's attacks run under, one at a time, and prints a row for each:
 * which attacks get through then. Every mutant has folders of its own, because what gets through changes them.
 */

import { ofBounds } from "../../../src/attacks/bounds.ts";
import { ofMasks } from "../../../src/attacks/masks.ts";
import { ofRepositories } from "../../../src/attacks/repositories.ts";
import type { MountPlan, PlanClause } from "../../../src/backend/plan.ts";
import { trialAnswers, trialScript } from "../../../src/host/launch/trial-script.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { isInside, pathFromBytes, pathToBytes } from "../../../src/profile/path.ts";
import { prepareGround, type SelftestFolders } from "../../../src/selftest/ground.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { SOME_TARGET } from "../attack-target.ts";
import { launchUnproven } from "./unproven.ts";

const host = thisHost({ operatorFolders: [] });
const first = await tryWithout(null);
process.stdout.write(`${JSON.stringify({ clause: "nothing", red: first.red })}\n`);
for (const clause of first.clauses) {
  const { red } = await tryWithout(clause, "named");
  // An attack that moves a folder does not name the files in it. So all attacks follow where none of these succeeds.
  const found = red.length > 0 ? red : (await tryWithout(clause)).red;
  process.stdout.write(`${JSON.stringify({ clause, red: found })}\n`);
}
process.stdin.destroy();

/**
 * Runs all attacks, or those that name the path of the clause, on the plan without that clause. Returns the attacks that
 * succeed, and the names of all clauses that could be left out.
 */
async function tryWithout(clause: string | null, tried: "all" | "named" = "all") {
  using ground = prepareGround({ word: "word", asRoot: false, platform: "linux" });
  await using supervisor = await createSupervisor({
    config: ground.config,
    profiles: [ground.profile],
    cwd: ground.ws,
    host,
    journal: new MemoryJournal(),
  });
  const { sandbox, ledger } = supervisor.shared;
  if (sandbox.kind !== "available") throw sandbox.error;
  const named = clause === null || tried === "all" ? "" : pathIn(clause, ground);
  const cases = [ofMasks, ofRepositories, ofBounds]
    .flatMap((of) => of({ ...SOME_TARGET, ...ground }))
    .filter(({ claim, on, line }) => claim !== "limit" && on !== "darwin" && line.includes(named));
  const argv = ["sh", "-c", trialScript(cases.map(({ line }) => line))] as const;
  const { rendering } = (await supervisor.session({ caller: "person" }).prepare({ argv })).withApproval;
  if (rendering.kind !== "plan" || rendering.plan.kind === "rules")
    throw new Error(JSON.stringify(rendering));
  const { plan } = rendering;
  await using _held = await ledger.hold(host.id(), plan.placeholders);
  const protecting = plan.clauses.filter((one) => protects(one, ground));
  const left = protecting.find((one) => nameOf(one, ground) === clause);
  const { stdout, stderr } = await launchUnproven(left === undefined ? plan : without(plan, left, ground), {
    surroundings: sandbox.surroundings,
    runAs: sandbox.machine.runAs,
  });
  const answers = trialAnswers(stdout);
  if (answers.length !== cases.length) throw new Error(`${clause}: ${answers.length} answers: ${stderr}`);
  return {
    clauses: protecting.map((one) => nameOf(one, ground)),
    red: cases.filter((_, at) => answers[at] === true).map(({ title }) => title),
  };
}

/** What grants something protects nothing, but for a root to read, which could be shown to write. */
function protects({ path }: PlanClause, { ws, docs }: SelftestFolders): boolean {
  return path === docs || (path !== ws && isInside(path, ws));
}

function nameOf({ path, args }: PlanClause, ground: SelftestFolders): string {
  return `${args[0] === "--perms" ? args[2] : args[0]} ${path.slice(placeOf(ground).length)}`;
}

function pathIn(clause: string, ground: SelftestFolders): string {
  return `${placeOf(ground)}${clause.slice(clause.indexOf("/"))}`;
}

function placeOf({ ws }: SelftestFolders): string {
  return ws.slice(0, -"/ws".length);
}

/** The plan without a mount, and without what seals it; a root to read is shown to write. */
function without(plan: MountPlan, { path, args }: PlanClause, { docs }: SelftestFolders): MountPlan {
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

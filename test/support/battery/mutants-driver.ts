/**
 * Runs each mutant of one plan, with the proof and without, and prints a row for each. It is a process of its own
 * because it must have a terminal and an inherited descriptor for a launch to lose.
 */
import { readFileSync } from "node:fs";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { run } from "../../../src/host/launch/run.ts";
import type { Surroundings } from "../../../src/host/launch/surroundings.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { type MutantRow, MutantsJob } from "./job.ts";
import { type Mutant, mutantProbes, mutants, mutate } from "./mutants.ts";
import { launchUnproven } from "./unproven.ts";

const job = MutantsJob.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
const probes = Object.entries(mutantProbes(job));
const script = probes.map(([, line]) => `( ${line}\n) >/dev/null 2>&1 && echo y || echo n`).join("\n");
const host = thisHost({ operatorFolders: [] });
await using supervisor = await createSupervisor({
  host,
  cwd: absolutePath(job.ws),
  config: job.config,
  profiles: [job.profile],
});
const { sandbox } = supervisor.shared;
if (sandbox.kind !== "available") throw sandbox.error;
const { runAs } = sandbox.machine;
const { rendering } = (await supervisor.session({ caller: "person" }).prepare({ argv: ["sh", "-c", script] }))
  .withApproval;
if (rendering.kind !== "plan" || rendering.plan.kind === "rules") throw new Error(JSON.stringify(rendering));
const plan: MountPlan = rendering.plan;
await using _held = await supervisor.shared.ledger.hold("mutants", plan.placeholders);
const nothing = { id: "files", change: "nothing" } as const;
const hasDevices = sandbox.machine.facts.devices.kind === "made";
const tried = mutants(job).filter(({ needsDevices }) => needsDevices !== true || hasDevices);
for (const mutant of [nothing, ...tried])
  process.stdout.write(`${JSON.stringify(await rowOf(mutant, sandbox.surroundings))}\n`);
process.stdin.destroy();

async function rowOf(mutant: Mutant, given: Surroundings): Promise<MutantRow> {
  const surroundings = mutant.surroundings?.(given) ?? given;
  const changed = mutate(plan, mutant);
  const refused = await withProof(changed, surroundings);
  return {
    id: mutant.id,
    change: mutant.change,
    refused,
    red: await withoutProof(changed, surroundings, mutant.isAttached === true),
  };
}

async function withProof(changed: MountPlan, surroundings: Surroundings): Promise<string | null> {
  const options = {
    stdin: process.stdin,
    wallMs: 20_000,
    outputBytes: 65_536,
    sinks: null,
    signal: null,
    runAs,
    surroundings,
    onProven: null,
  } as const;
  try {
    await run(changed, options);
    return null;
  } catch (cause) {
    if (cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE") return cause.message;
    throw cause;
  }
}

/** Opens the start program without a look at the sandbox, and tells which probes got through. */
async function withoutProof(
  changed: MountPlan,
  surroundings: Surroundings,
  isAttached: boolean,
): Promise<string[]> {
  const { stdout, stderr } = await launchUnproven(changed, { surroundings, runAs, isAttached });
  const answers = stdout.split("\n").filter((line) => line === "y" || line === "n");
  if (answers.length !== probes.length) throw new Error(`${answers.length} answers: ${stderr}`);
  return probes.flatMap(([name], index) => (answers[index] === "y" ? [name] : []));
}

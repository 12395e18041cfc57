import { text } from "node:stream/consumers";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { goLine } from "../../../src/backend/proxy-way.ts";
import { ProgramStreams } from "../../../src/host/launch/program-streams.ts";
import { launch } from "../../../src/host/launch/spawn.ts";
import { firstByte, readableAt, writableAt } from "../../../src/host/launch/streams.ts";
import { descriptorsFor } from "../../../src/host/launch/surroundings.ts";
import type { Left } from "./enter.ts";
import type { Stage } from "./stage.ts";

/** Runs a plan without a check of its sandbox: shows what a program could do in it. */
export async function runUnproven(
  plan: MountPlan,
  { runAs, surroundings }: Pick<Stage, "runAs" | "surroundings">,
): Promise<Left> {
  const hasCover = surroundings.leaked.length > 0;
  using streams = await ProgramStreams.open(surroundings.pipes, {
    hasStdin: false,
    hasSizes: false,
    hasCover,
    owner: runAs,
  });
  const stdio = descriptorsFor(plan, streams.launchers, surroundings);
  const child = launch(plan.file, plan.argv, { stdio, runAs });
  streams.handOver();
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 137)));
  const said = Promise.all([text(streams.stdout), text(streams.stderr)]);
  for (const input of plan.inputs) if ("bytes" in input) writableAt(child, input.fd).end(input.bytes);
  const start = writableAt(child, plan.startFd);
  const isReady = (await firstByte(readableAt(child, plan.startFd))) === "r";
  start.end(isReady ? `${goLine(false, null)}\n` : "");
  const [stdout, stderr] = await said;
  return { code: await ended, stdout, stderr, mountChanges: [] };
}

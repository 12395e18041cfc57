import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { goLine } from "../../../src/backend/proxy-way.ts";
import { ProgramStreams } from "../../../src/host/launch/program-streams.ts";
import { launch } from "../../../src/host/launch/spawn.ts";
import { firstByte, readableAt, writableAt } from "../../../src/host/launch/streams.ts";
import { descriptorsFor, type Surroundings } from "../../../src/host/launch/surroundings.ts";

/** How a plan is started without a check of its sandbox. */
export interface Unproven {
  readonly surroundings: Surroundings;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** The launcher is started in this process's own session. */
  readonly isAttached?: boolean;
}

/** Starts a plan and opens its start program without a check of the sandbox. Returns what the program said. */
export async function launchUnproven(
  plan: MountPlan,
  { surroundings, runAs, isAttached = false }: Unproven,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const hasCover = surroundings.leaked.length > 0;
  using streams = await ProgramStreams.open(surroundings.pipes, {
    hasStdin: true,
    hasSizes: false,
    hasCover,
    owner: runAs,
  });
  const stdio = descriptorsFor(plan, streams.launchers, surroundings);
  const { file, argv } = plan;
  const child = isAttached
    ? spawn(file, argv, { cwd: "/", env: {}, stdio, ...runAs })
    : launch(file, argv, { stdio, runAs });
  streams.handOver();
  const said = Promise.all([text(streams.stdout), text(streams.stderr)]);
  for (const input of plan.inputs) if ("bytes" in input) writableAt(child, input.fd).end(input.bytes);
  await firstByte(readableAt(child, plan.startFd));
  writableAt(child, plan.startFd).end(`${goLine(true, null)}\n`);
  const [stdout, stderr] = await said;
  return { stdout, stderr };
}

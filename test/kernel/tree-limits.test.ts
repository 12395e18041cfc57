import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MountPlan } from "../../src/backend/plan.ts";
import { MACHINE } from "../../src/host/launch/cgroup/files.ts";
import { readySeats } from "../../src/host/launch/cgroup/seats.ts";
import { run } from "../../src/host/launch/run.ts";
import type { Outcome } from "../../src/index.ts";
import { noCgroups } from "../support/battery/delegated.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { forks, takes } from "../support/battery/takes.ts";

sandboxMustWork("limits of all processes together");
if (noCgroups !== null) console.warn(`limits of all processes together: not tried, ${noCgroups}`);

/** `tree-limits.slow` has the same as several people, at once, and after kills. */
describe.skipIf(unusable !== null || noCgroups !== null)("in a cgroup of its own", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  const told = (outcome: Outcome) =>
    "stdout" in outcome
      ? { said: outcome.stdout.bytes.toString(), reached: outcome.receipt.limitsReached }
      : outcome;

  it("limit: memory is that of all processes together, and no more of them are had than are listed", async () => {
    const limits = { memory: "96MiB", processes: 30 };
    await using supervisor = await place.supervisor({ sandbox: { limits } });
    const session = supervisor.session({ caller: "person" });
    const of = async (call: { argv: [string, ...string[]] }) => told(await session.call("shell", call));
    const [modest, greedy, few, many] = [
      await of(takes(1)),
      await of(takes(3)),
      await of(forks(29)),
      await of(forks(60)),
    ];
    expect([modest, few]).toEqual([
      { said: "1", reached: [] },
      { said: "29", reached: [] },
    ]);
    expect(greedy).toMatchObject({ reached: ["memoryBytes"] });
    expect(greedy).not.toMatchObject({ said: "3" });
    expect(many).toEqual({ said: "29", reached: CALLER.uid === 0 ? ["processes"] : [] });
    // One file for as long as the supervisor lives: where to look when it is killed.
    expect(readdirSync(join(place.state, "cofferdam/cgroups"))).toHaveLength(1);
    await supervisor[Symbol.asyncDispose]();
    expect(readdirSync(join(place.state, "cofferdam/cgroups"))).toEqual([]);
  });

  it("fs.residue: a cgroup that nobody knows of is removed once it is old, but for one that somebody is in", async () => {
    const { memory: seat } = readySeats(MACHINE, CALLER.uid);
    if (seat.kind === "absent") throw new Error(seat.reason);
    const name = (of: string) => join(seat.folder, `cofferdam-${randomBytes(8).toString("hex")}-${of}`);
    const [left, used, other] = [name("1"), name("2"), name("x")];
    for (const folder of [left, used, other]) mkdirSync(folder);
    const sleeper = spawn("/bin/sleep", ["600"], { stdio: "ignore" });
    try {
      writeFileSync(join(used, "cgroup.procs"), String(sleeper.pid));
      const there = () => [left, used, other].map((folder) => existsSync(folder));
      await using _atOnce = await place.supervisor();
      expect(there()).toEqual([true, true, true]);
      await using _later = await place.supervisor({}, { now: () => Date.now() + 120_000 });
      expect(there()).toEqual([false, true, true]);
    } finally {
      sleeper.kill("SIGKILL");
      await once(sleeper, "exit");
      for (const folder of [left, used, other]) if (existsSync(folder)) rmdirSync(folder);
    }
  });

  it("proof: a start program that is not in its cgroup is not opened", async () => {
    const settings = { sandbox: { limits: { memory: "128MiB", processes: 30 } } };
    await using supervisor = await place.supervisor(settings);
    const { sandbox } = supervisor.shared;
    if (sandbox.kind !== "available") throw sandbox.error;
    const session = supervisor.session({ caller: "person" });
    const { rendering } = (await session.prepare({ argv: ["sh", "-c", `: > ${place.ws}/ran`] })).withApproval;
    if (rendering.kind !== "plan" || rendering.plan.kind === "rules") throw new Error("no plan");
    const plan: MountPlan = rendering.plan;
    const { machine, surroundings } = sandbox;
    const { cgroups } = machine;
    const start = (changed: MountPlan, given: typeof cgroups | null) =>
      run(changed, {
        ...{ stdin: null, wallMs: 20_000, outputBytes: 1_000, sinks: null, signal: null },
        ...{ runAs: machine.runAs, surroundings, onProven: null, cgroups: given },
      });
    const idle = plan.argv.map((word) => word.replaceAll(/\{ printf 0 >&\d; \}/g, "true"));
    if (plan.tree?.doors.length !== 0)
      await expect(start({ ...plan, argv: idle }, cgroups)).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: expect.stringContaining("not in its cgroup"),
      });
    await expect(start(plan, null)).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
    expect(await start(plan, cgroups)).toMatchObject({ code: 0, reached: [] });
    expect(existsSync(join(place.ws, "ran"))).toBe(true);
  });
});

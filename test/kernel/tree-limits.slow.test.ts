import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delegated, LIMITS_SAID, noCgroups } from "../support/battery/delegated.ts";
import type { Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import { forks, sends, takes } from "../support/battery/takes.ts";
import { PATIENCE } from "../support/long.ts";

sandboxMustWork("limits of all processes together");
if (noCgroups !== null) console.warn(`limits of all processes together: not tried, ${noCgroups}`);

const outOf = (reply: Reply | undefined) =>
  reply?.kind === "ran" ? { said: reply.stdout, reached: reply.limitsReached, limits: reply.limits } : reply;

describe.skipIf(unusable !== null || noCgroups !== null).each(PEOPLE)(
  "as $name, in a cgroup that is delegated",
  (person) => {
    let place: Place;
    let delegated: Delegated;
    beforeEach(() => {
      place = new Place(person);
      delegated = new Delegated(person);
    });
    afterEach(() => {
      place[Symbol.dispose]();
      delegated[Symbol.dispose]();
    });

    const limited = (limits: Readonly<Record<string, unknown>>): Settings => ({ sandbox: { limits } });

    it("limit: memory is that of all processes together, and a call that reached it says so", async () => {
      const [, greedy, modest] = await place.run({
        ...delegated.start,
        settings: limited({ memory: "128MiB" }),
        job: { calls: [takes(5), takes(2)] },
      });
      // Of version 1 the kernel ends as many as it must, of version 2 all of them.
      expect(greedy).toMatchObject({ kind: "ran", limitsReached: ["memoryBytes"] });
      expect(["", "0", "1", "2", "3"]).toContain(greedy?.kind === "ran" ? greedy.stdout : null);
      expect(outOf(modest)).toEqual({ said: "2", reached: [], limits: LIMITS_SAID });
      expect(delegated.made()).toEqual([]);
    });

    it("limit: no more processes are had than are listed, to the last one", async () => {
      const [, , bomb, many, few] = await place.run({
        ...delegated.start,
        settings: limited({ processes: 30, memory: "512MiB", wall: "2s" }),
        job: {
          calls: [
            forks(1),
            // The first one forks once, while there is room: it waits.
            { argv: ["sh", "-c", "f() { (f | f) & }; f; exec sleep 20"] },
            forks(60),
            forks(29),
          ],
        },
      });
      expect(bomb).toMatchObject({ kind: "ran", code: 143 });
      expect([many, few]).toMatchObject([
        { kind: "ran", stdout: "29" },
        { kind: "ran", stdout: "29", limitsReached: [] },
      ]);
      const isTold = many?.kind === "ran" && many.limitsReached.includes("processes");
      expect(isTold).toBe(person.uid === 0);
    });

    it("limit: calls that run at once have a budget each", async () => {
      const calls = [takes(2), takes(2), forks(29), forks(29)].map((one) => ({ ...one, afterMs: 0 }));
      const replies = await place.run({
        ...delegated.start,
        settings: limited({ processes: 30, memory: "128MiB" }),
        job: { calls },
      });
      const said = replies.slice(1).map(outOf);
      expect(said).toHaveLength(4);
      for (const one of said) expect(one).toMatchObject({ reached: [], limits: LIMITS_SAID });
      expect(said.map((one) => (one !== undefined && "said" in one ? one.said : null)).toSorted()).toEqual([
        "2",
        "2",
        "29",
        "29",
      ]);
    });

    it("limit: what a few connections hold to be read is bounded as memory is", async () => {
      const held = async (memory: string) => {
        const [, told] = await place.run({
          ...delegated.start,
          settings: limited({ memory }),
          job: { calls: [sends(16)] },
        });
        return told?.kind === "ran" ? Number(told.stdout) : told;
      };
      const [little, more] = [await held("16MiB"), await held("64MiB")];
      // Each has up to 139 KiB above the bound, of version 1; of version 2 what is held counts with all that it takes.
      const max = (16 << 10) + 16 * 139;
      expect(little).toBeLessThan(max);
      expect(more).toBeGreaterThan(max);
    });

    it("limit: strict limits are refused where not all memory is held, and those that are run", async () => {
      const ran = { argv: ["sh", "-c", `: >> ${place.ws}/ran`] };
      const strictly = async (limits: Readonly<Record<string, unknown>>) => {
        const settings = limited({ ...limits, strict: true });
        const [, told] = await place.run({ ...delegated.start, settings, job: { calls: [ran] } });
        return told;
      };
      const memory = await strictly({ memory: "128MiB" });
      expect(existsSync(join(place.ws, "ran"))).toBe(LIMITS_SAID === "");
      if (LIMITS_SAID !== "")
        expect(memory).toMatchObject({
          kind: "denied",
          message: expect.stringContaining(`limits can't be enforced as required: ${LIMITS_SAID}`),
        });
      expect(await strictly({ processes: 30 })).toMatchObject({ kind: "ran", code: 0 });
    });

    it("limit: a process can neither see nor leave its cgroup, which tells nothing of the host", async () => {
      const look =
        "cat /proc/self/cgroup; ls /sys/fs/cgroup; mkdir /sys/fs/cgroup; mount -t cgroup2 none /tmp";
      const [, told] = await place.run({
        ...delegated.start,
        settings: limited({ memory: "128MiB" }),
        job: { calls: [{ argv: ["sh", "-c", look] }] },
      });
      expect(told).toMatchObject({ kind: "ran", code: 32 });
      const said = told?.kind === "ran" ? told.stdout : "";
      expect(said).toMatch(/^\d+:(.*,)?memory(,.*)?:|^0::/m);
      expect(said).toMatch(/\/cofferdam-[0-9a-f]{16}-1$/m);
      expect(place.plainly("ls /sys/fs/cgroup").stdout).not.toBe("");
    });

    it("fs.residue: a call's cgroup is there while it runs; after a kill the next supervisor removes it", async () => {
      const settings = limited({ memory: "128MiB" });
      const line = `: > ${place.ws}/up; sleep 60`;
      const child = place.start({
        ...delegated.start,
        settings,
        job: { calls: [{ argv: ["sh", "-c", line] }] },
      });
      await vi.waitUntil(() => existsSync(join(place.ws, "up")), { timeout: 20_000 * PATIENCE });
      expect(delegated.made()).toHaveLength(1);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      const trail = join(place.state, "cofferdam/cgroups");
      expect([delegated.made().length, readdirSync(trail).length]).toEqual([1, 1]);
      // The next one is somewhere else altogether.
      await place.run({ job: { calls: [] } });
      expect([delegated.made(), readdirSync(trail)]).toEqual([[], []]);
    });

    const together = PATIENCE > 1 ? "calls on this machine are too slow to come in a row" : null;
    itUnless(
      together,
      "fs.residue: after calls in a row the next one's cgroup is there already, and goes with the supervisor, left or disposed of",
      async () => {
        for (const isLeft of [false, true]) {
          const calls = ["true", "true", "sleep 0.6"].map((line) => ({ argv: ["sh", "-c", line] }));
          const child = place.start({
            ...delegated.start,
            settings: limited({ memory: "128MiB" }),
            // The last is another kind of call: what waits is not for it.
            job: { calls: [...calls, { argv: ["cat"], stdin: "inherit", afterMs: 800 }], isLeft },
          });
          const closed = new Promise((resolve) => child.once("close", resolve));
          // Between calls none runs.
          await vi.waitUntil(() => delegated.made().some((name) => name.endsWith("-4")), {
            timeout: 20_000 * PATIENCE,
          });
          await closed;
          expect([isLeft, delegated.made()]).toEqual([isLeft, []]);
        }
      },
    );

    it("limit: what works on files is bounded too, with an allowance of its own", async () => {
      place.file("ws/a", "text\n");
      const [, told] = await place.run({
        ...delegated.start,
        settings: limited({ memory: "64MiB" }),
        job: {
          calls: [],
          steps: [
            { tool: "read_file", input: { path: "ws:a" } },
            // It waits for more to do.
            {
              run: [
                "/bin/sh",
                "-c",
                `[ "$(cat ${delegated.memory}/cofferdam-*-1/cgroup.procs | wc -l)" = 2 ]`,
              ],
            },
          ],
        },
      });
      expect(told).toMatchObject({ kind: "told", why: null });
      expect(delegated.made()).toEqual([]);
    });
  },
);

describe.skipIf(unusable !== null)("where none is delegated", () => {
  itUnless(
    notRoot,
    "limit: a user's memory is bounded for each process alone, which the receipt says with what would help",
    async () => {
      using place = new Place(ORDINARY);
      const [, told] = await place.run({
        settings: { sandbox: { limits: { memory: "128MiB", processes: 30 } } },
        job: { calls: [takes(4)] },
      });
      expect(told).toMatchObject({
        kind: "ran",
        stdout: "4",
        standings: { limits: "partial" },
        limitsReached: [],
      });
      expect(told?.kind === "ran" ? told.limits : "").toMatch(
        /^memory of all processes together: absent: no cgroup can be created, this user may not create a cgroup in `.*`; start cofferdam /,
      );
    },
  );

  itUnless(
    notRoot,
    "limit: strict limits refuse before anything runs, by the name of the one that can't be kept",
    async () => {
      using place = new Place(ORDINARY);
      const ran = (name: string) => ({ argv: ["sh", "-c", `: > ${place.ws}/${name}`] });
      const [, refused] = await place.run({
        settings: { sandbox: { limits: { memory: "128MiB", strict: true } } },
        job: { calls: [ran("memory")] },
      });
      expect(refused).toMatchObject({ kind: "denied", code: "SANDBOX_UNAVAILABLE" });
      expect(refused?.kind === "denied" ? refused.message : "").toMatch(
        /^limits can't be enforced as required: memory of all processes together: absent: /,
      );
      const [, done] = await place.run({
        settings: { sandbox: { limits: { processes: 30, strict: true } } },
        job: { calls: [ran("processes")] },
      });
      expect(done).toMatchObject({ kind: "ran", code: 0, standings: { limits: "enforced" } });
      expect(readdirSync(place.ws)).toEqual(["processes"]);
    },
  );
});

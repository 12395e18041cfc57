import { describe, expect, test } from "vitest";
import { renderBubblewrap } from "../../../src/backend/bubblewrap/render.ts";
import type { Facts } from "../../../src/backend/facts.ts";
import type { Plan } from "../../../src/backend/plan.ts";
import type { Limits } from "../../../src/profile/limits.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { fakedFacts } from "../../support/faked-facts.ts";

const ROOT = { user: { uid: 0, gid: 0, isCaller: true } };
const HELD = { kind: "held", door: null, except: null } as const;
const V1_MEMORY = { kind: "held", door: 0, except: "not all of it" } as const;
const V1 = { memory: V1_MEMORY, pids: { kind: "held", door: 1, except: null } } as const;
const V1_TOGETHER = { memory: V1_MEMORY, pids: { ...V1.pids, door: 0 } } as const;
const V2 = { memory: HELD, pids: HELD };
const LAUNCH = { argv: [knownPath("/usr/bin/true")], cwd: knownPath("/w"), env: {} } as const;
const BOTH: Limits = { memoryBytes: 4096, processes: 9 };

function planFor(limits: Limits, facts: Partial<Facts>): Plan {
  const files = [{ path: knownPath("/usr"), access: "read", suffixes: "any" } as const];
  const rendering = renderBubblewrap(normalProfile({ files, limits }), LAUNCH, fakedFacts([], facts));
  if (rendering.kind === "refusal") throw new Error(rendering.refusal.reason);
  return rendering.plan;
}

const NO_MEMORY =
  "memory of all processes together: absent: no cgroup can be created, nobody mounted them; mount them";
const NO_PIDS =
  "the number of root's processes: absent: no cgroup can be created, nobody mounted them; mount them";

describe("what can't be kept is named, and what can is enforced:", () => {
  test.each<[what: string, limits: Limits, facts: Partial<Facts>, reason: string | null]>([
    ["no limit needs anything", {}, ROOT, null],
    ["memory, where there are no cgroups", { memoryBytes: 4096 }, {}, NO_MEMORY],
    ["memory, where there are", { memoryBytes: 4096 }, { tree: V2 }, null],
    [
      "memory, where they do not hold all of it",
      { memoryBytes: 4096 },
      { tree: V1 },
      "memory of all processes together: partial: not all of it",
    ],
    ["a user's processes are counted without", { processes: 9 }, {}, null],
    ["root's are not", { processes: 9 }, ROOT, NO_PIDS],
    ["root's, where there are", { processes: 9 }, { ...ROOT, tree: V1 }, null],
    ["both, of root", BOTH, ROOT, `${NO_MEMORY}; ${NO_PIDS}`],
    [
      "crashes go to a program that nothing keeps from being started",
      {},
      { coreDumps: { kind: "handler", limiter: null } },
      "core dumps: absent: a crash starts a program of this machine as root; install prlimit of util-linux",
    ],
    [
      "crashes go to one that is kept",
      {},
      { coreDumps: { kind: "handler", limiter: knownPath("/p") } },
      null,
    ],
  ])("%s", (_, limits, facts, reason) => {
    expect(planFor(limits, facts).enforcement.limits).toEqual(
      reason === null ? { kind: "enforced" } : { kind: "partial", reason },
    );
  });
});

describe("a cgroup is asked for what nothing else holds:", () => {
  test.each<[what: string, limits: Limits, facts: Partial<Facts>, tree: Plan["tree"]]>([
    ["nothing", { openFiles: 99 }, { ...ROOT, tree: V2 }, null],
    ["a user's processes", { processes: 9 }, { tree: V2 }, null],
    ["what can't be had", BOTH, ROOT, null],
    [
      "root's processes, and the one in the start program",
      { processes: 9 },
      { ...ROOT, tree: V2 },
      { memoryBytes: null, processes: 10, doors: [] },
    ],
    ["memory", BOTH, { tree: V2 }, { memoryBytes: 4096, processes: null, doors: [] }],
    ["both, by two doors", BOTH, { ...ROOT, tree: V1 }, { memoryBytes: 4096, processes: 10, doors: [7, 8] }],
    ["both, by one", BOTH, { ...ROOT, tree: V1_TOGETHER }, { memoryBytes: 4096, processes: 10, doors: [7] }],
    [
      "the second alone",
      { processes: 9 },
      { ...ROOT, tree: V1 },
      { memoryBytes: null, processes: 10, doors: [7] },
    ],
  ])("%s", (_, limits, facts, tree) => {
    expect(planFor(limits, facts).tree).toEqual(tree);
  });

  test("memory that a cgroup holds is not bounded for each process as well, what none holds is", () => {
    const startOf = (facts: Partial<Facts>): string => planFor(BOTH, facts).argv.join(" ");
    expect([startOf({}).includes("ulimit -d 4"), startOf({ tree: V2 }).includes("ulimit -d")]).toEqual([
      true,
      false,
    ]);
  });
});

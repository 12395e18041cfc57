import { beforeAll, describe, expect, it } from "vitest";
import { APPROXIMATIONS } from "../../src/backend/bubblewrap/approximations.ts";
import type { Probe } from "../support/kernel/probe.ts";
import { type Report, table, together } from "../support/kernel/report.ts";
import { CAN_MOUNT, STANCES, startAll } from "../support/kernel/start.ts";
import { requireSandbox, SEED, UNUSABLE } from "../support/kernel/usable.ts";
import { IS_LONG, PATIENCE } from "../support/long.ts";

/** Enough that every approximation is needed most times; at least 300 in all. Slow machines ask for fewer at a time. */
const IN_ALL = Number(process.env["COFFERDAM_TEST_CASES"] ?? (IS_LONG ? 6_000 : 450));
const CASES = Math.ceil(IN_ALL / STANCES.length);
const TIMEOUT_MS = Math.max(CASES, 100) * 1_000 * PATIENCE;
const MAX_ROUNDS = 4;

const ACTS: readonly Probe["op"][] = [
  "read",
  "list",
  "stat",
  "write",
  "attributes",
  "create",
  "remove",
  "rename",
  "exchange",
  "link",
  "displace",
];

requireSandbox("random profiles against the kernel");

describe.skipIf(UNUSABLE !== undefined)("what the kernel allows is what the profile says", () => {
  let reports: ReadonlyMap<string, Report> = new Map();
  let whole: Report;
  let rounds = 0;

  beforeAll(async () => {
    // Now and then what is rare is in none of the cases: then there are more.
    do {
      const job = { kind: "agreement", cases: CASES, seed: SEED + rounds * STANCES.length } as const;
      const more = await startAll(job, TIMEOUT_MS);
      reports = new Map(
        [...more].map(([name, report]) => [name, together([reports.get(name) ?? [], report].flat())]),
      );
      whole = together([...reports.values()]);
      rounds += 1;
    } while (rounds < MAX_ROUNDS && whole.failure === null && !hasEvery(whole));
    console.log(
      `COFFERDAM_SEED=${SEED}, ${whole.cases} cases, ${whole.probes} probes, ${whole.milliseconds} ms; refused: ${JSON.stringify(whole.refused)}`,
    );
    console.log(table("kernel", counted(whole, "kernel: "), whole.probes));
    console.log(table("verdict", counted(whole, "verdict: "), whole.probes));
  }, MAX_ROUNDS * TIMEOUT_MS);

  it.each(STANCES)(
    "as $name, nothing is allowed that the model denies, and what else is refused has its declared reason",
    ({ name }) => {
      expect(reports.get(name)?.failure).toBeNull();
      expect(reports.get(name)?.cases).toBe(CASES * rounds);
    },
  );

  it("at least a quarter of what is tried is allowed, and a quarter denied", () => {
    const kernel = counted(whole, "kernel: ");
    expect((kernel["allowed"] ?? 0) / whole.probes).toBeGreaterThan(0.25);
    expect((kernel["denied"] ?? 0) / whole.probes).toBeGreaterThan(0.25);
  });

  it.each(ACTS)("to %s is allowed at times, and refused at times", (act) => {
    const acts = counted(whole, "act: ");
    expect(acts[`${act}, allowed`]).toBeGreaterThan(0);
    expect(acts[`${act}, refused`]).toBeGreaterThan(0);
  });

  it.each(APPROXIMATIONS)("$name is needed, and for no more than its share", ({ name, share }) => {
    if (!isTried(name)) console.warn(`${name}: not tried here, because this user can't mount`);
    const explained = counted(whole, "verdict: ")[name] ?? 0;
    if (isTried(name)) expect(explained).toBeGreaterThan(0);
    expect(explained / whole.probes).toBeLessThan(share);
  });

  it.each(["read", "write", "create", "remove", "rename"])(
    "explain says what the kernel does when asked to %s, yes at times and no at times",
    (ask) => {
      const explained = counted(whole, "explained: ");
      expect(explained[`${ask}, yes`]).toBeGreaterThan(0);
      expect(explained[`${ask}, no`]).toBeGreaterThan(0);
    },
  );

  it.each(["limits", "what stays"])("answers that know nothing of a plan's %s are found out", (what) => {
    expect(counted(whole, "blind to ")[what]).toBeGreaterThan(0);
  });

  it("few profiles are refused, so that cases are not picked", () => {
    const refused = Object.values(whole.refused).reduce((sum, count) => sum + count, 0);
    expect(refused / (whole.cases + refused)).toBeLessThan(0.15);
  });

  it("no placeholder, process or folder is left", () => {
    expect(whole.left).toEqual([]);
  });
});

/** Only root can mount a folder of its own twice, and a container may keep it from that. */
function isTried(approximation: string): boolean {
  return approximation !== "alias" || CAN_MOUNT;
}

/** Every act is allowed at times and refused at times, and every approximation that is tried explains something. */
function hasEvery(report: Report): boolean {
  const [acts, verdicts] = [counted(report, "act: "), counted(report, "verdict: ")];
  return (
    ACTS.every((act) => (acts[`${act}, allowed`] ?? 0) > 0 && (acts[`${act}, refused`] ?? 0) > 0) &&
    APPROXIMATIONS.every(({ name }) => !isTried(name) || (verdicts[name] ?? 0) > 0)
  );
}

/** The counts whose names begin so, without that beginning. */
function counted({ counts }: Report, beginning: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) =>
      name.startsWith(beginning) ? [[name.slice(beginning.length), count]] : [],
    ),
  );
}

import { describe, expect, it } from "vitest";
import { type Seen, Sightings } from "../../../../src/host/launch/mac/sightings.ts";
import { readLogLine } from "../../../../src/host/launch/mac/violation.ts";
import { AT_MS, kernelLine, report, sandboxdLine } from "./log-lines.ts";

const TAG = "cofferdam-0123456789abcdef";
const OTHER_TAG = "cofferdam-fedcba9876543210";
const NOBODYS = new Set<number>();

/** Two calls at once, from when the lines are of on, and what the log said meanwhile. */
function seenBy(lines: readonly string[]): Sightings {
  const sightings = new Sightings();
  sightings.begin(TAG, AT_MS);
  sightings.begin(OTHER_TAG, AT_MS);
  for (const line of lines) {
    const entry = readLogLine(line);
    if (entry !== null) sightings.add(entry);
  }
  return sightings;
}

/** What was seen, as `<count> <operation> <target> by <tag or process>`. */
function listed({ sightings }: Seen): readonly string[] {
  return sightings.map(
    ({ violation: { operation, target }, count, by }) => `${count} ${operation} ${target} by ${by}`,
  );
}

describe("a refusal is a call's", () => {
  const refused = (pid: number, target: string, tag = ""): string =>
    `Sandbox: sh(${pid}) deny(1) file-read-data ${target}${tag === "" ? "" : `\n${tag}`}`;

  it("where it carries the call's tag, whoever's process it was", () => {
    const sightings = seenBy([
      kernelLine(refused(1, "/own", TAG)),
      kernelLine(refused(2, "/other", OTHER_TAG)),
    ]);
    expect(listed(sightings.of(TAG, NOBODYS))).toEqual(["1 file-read-data /own by tag"]);
    expect(listed(sightings.of(OTHER_TAG, new Set([1])))).toEqual(["1 file-read-data /other by tag"]);
  });

  it("where it carries no tag and one of its processes did it, or what that started", () => {
    const details = { pid: 30, operation: "mach-lookup", target: "a.b", "parent-process-pid": 10 };
    const sightings = seenBy([
      kernelLine(refused(10, "/own")),
      kernelLine(refused(20, "/nobodys")),
      sandboxdLine(report("make(30) deny(1) mach-lookup a.b", details)),
    ]);
    expect(listed(sightings.of(TAG, new Set([10])))).toEqual([
      "1 file-read-data /own by process",
      "1 mach-lookup a.b by process",
    ]);
    expect(listed(sightings.of(OTHER_TAG, NOBODYS))).toEqual([]);
  });

  it("but not where another process had its pid before the call began, or it is not known when", () => {
    const sightings = seenBy([
      kernelLine(refused(10, "/before"), { timestamp: "2026-08-10 20:05:29.962999+0200" }),
      kernelLine(refused(10, "/never"), { timestamp: null }),
    ]);
    expect(listed(sightings.of(TAG, new Set([10])))).toEqual([]);
  });

  it("where its tag comes by itself, from the same thread and right behind it", () => {
    const sightings = seenBy([
      kernelLine(refused(1, "/own"), { threadID: 5 }),
      kernelLine(TAG, { threadID: 5 }),
      kernelLine(refused(2, "/of another thread"), { threadID: 5 }),
      kernelLine(TAG, { threadID: 6 }),
      kernelLine(refused(3, "/of no thread"), { threadID: null }),
      kernelLine(TAG, { threadID: null }),
      kernelLine(refused(4, "/not the last"), { threadID: 5 }),
      kernelLine(refused(5, "/the last"), { threadID: 6 }),
      kernelLine(TAG, { threadID: 5 }),
    ]);
    expect(listed(sightings.of(TAG, NOBODYS))).toEqual(["1 file-read-data /own by tag"]);
    expect(listed(sightings.of(OTHER_TAG, new Set([5])))).toEqual(["1 file-read-data /the last by process"]);
  });
});

describe("what was refused again", () => {
  const HEAD = "cat(7) deny(1) file-read-data /x";

  it("is told once, with how often", () => {
    const twice = [`Sandbox: ${HEAD}\n${TAG}`, `5 duplicate reports for Sandbox: ${HEAD}\n${TAG}`];
    expect(listed(seenBy(twice.map((line) => kernelLine(line))).of(TAG, NOBODYS))).toEqual([
      "6 file-read-data /x by tag",
    ]);
  });

  it("and was told by the kernel and by sandboxd counts once", () => {
    const line = kernelLine(`Sandbox: ${HEAD}\n${TAG}`);
    const again = sandboxdLine(report(HEAD, null));
    const seen = seenBy([line, again, line, again]).of(TAG, new Set([7]));
    expect(listed(seen)).toEqual(["2 file-read-data /x by tag"]);
  });
});

describe("what is kept is bounded", () => {
  const many = (count: number, tag: string): readonly string[] =>
    Array.from({ length: count }, (_, at) =>
      kernelLine(`Sandbox: sh(7) deny(1) file-read-data /${at}${tag}`),
    );

  it("to 100 different ones of a call, and another call has all of its own", () => {
    const sightings = seenBy([...many(150, `\n${TAG}`), ...many(3, `\n${OTHER_TAG}`)]);
    const seen = sightings.of(TAG, NOBODYS);
    expect([seen.sightings.length, seen.hasGaps]).toEqual([100, true]);
    const other = sightings.of(OTHER_TAG, NOBODYS);
    expect([other.sightings.length, other.hasGaps]).toEqual([3, false]);
  });

  it("to the last 500 of nobody known, of which a call is told 100", () => {
    const sightings = seenBy(many(700, ""));
    const seen = sightings.of(TAG, new Set([7]));
    expect([seen.sightings.length, seen.sightings[0]?.violation.target, seen.hasGaps]).toEqual([
      100,
      "/200",
      true,
    ]);
  });

  it("to what came while there was a call", () => {
    const sightings = seenBy(many(5, ""));
    sightings.end(TAG);
    sightings.end(OTHER_TAG);
    for (const line of many(5, `\n${TAG}`)) {
      const entry = readLogLine(line);
      if (entry !== null) sightings.add(entry);
    }
    sightings.begin(TAG, AT_MS);
    expect(sightings.of(TAG, new Set([7]))).toEqual({ sightings: [], hasGaps: false });
  });
});

it("where the log says that it lost some, every call that is there has gaps", () => {
  const sightings = seenBy([JSON.stringify({ eventType: "lossEvent" })]);
  expect(sightings.of(TAG, NOBODYS)).toEqual({ sightings: [], hasGaps: true });
  sightings.begin(TAG, AT_MS);
  expect(sightings.of(TAG, NOBODYS)).toEqual({ sightings: [], hasGaps: false });
});

it("of a call that is over nothing is told", () => {
  expect(new Sightings().of(TAG, NOBODYS)).toEqual({ sightings: [], hasGaps: true });
});

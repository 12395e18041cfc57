import { describe, expect, test } from "vitest";
import { probesFor } from "../../../src/host/launch/mac/probes/all.ts";
import { interpret, type ProbeFinding } from "../../../src/host/launch/mac/probes/probe.ts";
import { GUARDED, NAMED } from "../../../src/host/launch/mac/probes/system.ts";
import { isAlwaysKnown } from "../operations.ts";
import type { Reading } from "../query.ts";
import { EVERY_READING } from "../readings.ts";
import { OWN_ADDRESSES } from "../world/calls/sockets.ts";
import { type Kernel, LAX, LAX_BUT_LINKS, LIKELY, STRICT } from "../world/kernel.ts";
import { answersUnder } from "./evaluated-probes.ts";

const [own = ""] = OWN_ADDRESSES;
const PROBES = probesFor(own);

/** What each probe must find where rules are read so and the kernel asks so; all others find the same everywhere. */
function depending(reading: Reading, kernel: Kernel): Readonly<Record<string, string>> {
  const has = (operation: string) => (reading.knows(operation) ? "yes" : "no");
  const byDefault = (operation: string) => (reading.knows(operation) ? "no" : "unclear");
  return {
    precedence: reading.precedence,
    "subpath-itself": reading.subpathHasItself ? "yes" : "no",
    "folds-case": reading.foldsCase,
    "regex-unit": reading.regexUnit,
    "sharp-strings": reading.sharpStrings,
    "rename-over": kernel.renameChecksReplaced ? "create-and-unlink" : "create",
    link: linkValue(reading, kernel),
    clone: kernel.cloneChecks === "nothing" ? "unclear" : "no",
    localhost: kernel.ownIsLocalhost ? "loopback-and-own" : "loopback",
    "default iokit-get-properties": byDefault("iokit-get-properties"),
    "default nvram*": byDefault("nvram*"),
    ...Object.fromEntries(GUARDED.map((operation) => [`has ${operation}`, has(operation)])),
  };
}

function linkValue({ knows }: Reading, { linkChecks }: Kernel): string {
  if (linkChecks === "destination-only") return "unclear";
  if (!knows("file-link")) return "otherwise";
  return linkChecks === "source-only" ? "link" : "link-and-create";
}

const ALWAYS: Readonly<Record<string, string>> = {
  exceptions: "hold",
  "new-folder": "yes",
  "literal-and-subpath": "yes",
  "asked-case": "on-disk",
  accents: "on-disk",
  "foreign-letters": "yes",
  swap: "no",
  "network-none": "nothing",
  "one-port": "yes",
  listening: "every-address",
  "socket-by-files": "no",
  parameters: "all",
  brackets: "yes",
  size: "1025",
  regexes: "yes",
  "regex-form-1": "found",
  "regex-form-2": "found",
  "regex-form-3": "found",
  // No source says what it is: the evaluator gives up.
  "regex-form-4": "not-tried",
  "named-operations": "all",
  "default process-info*": "no",
  "default file-map-executable": "no",
  nested: "71",
  mistakes: "yes",
};

/** Each way to read in one of them at least, together with each order of rules. */
const SOME_READINGS = EVERY_READING.filter((_, at) => at % 5 === 0);

describe.each([
  ["the likely one", LIKELY, EVERY_READING],
  ["one that asks the most", STRICT, SOME_READINGS],
  ["one that asks the least", LAX, SOME_READINGS],
  ["one that asks little but for links", LAX_BUT_LINKS, SOME_READINGS],
] as const)("on a Mac whose kernel is %s", (_, kernel, readings) => {
  test("each probe finds by its answers how rules are read there, whichever way that is", () => {
    for (const reading of readings) {
      const found = findings(reading, kernel).map(({ id, value }) => [id, value]);
      expect({ reading, ...Object.fromEntries(found) }).toEqual({
        reading,
        ...ALWAYS,
        ...depending(reading, kernel),
      });
    }
  });
});

test("where a link or a clone asks nothing about what is hidden, that is a problem, and nothing else is", () => {
  for (const reading of SOME_READINGS) {
    const problems = findings(reading, LAX).filter(({ standing }) => standing === "problem");
    expect(problems.map(({ id }) => id)).toEqual(["link", "clone"]);
    for (const kernel of [STRICT, LIKELY, LAX_BUT_LINKS])
      expect(findings(reading, kernel).filter(({ standing }) => standing === "problem")).toEqual([]);
  }
});

test("what rules name without asking is on every system", () => {
  expect(NAMED.filter((name) => !isAlwaysKnown(name))).toEqual([]);
});

function findings(reading: Reading, kernel: Kernel): readonly ProbeFinding[] {
  return PROBES.map((probe) => interpret(probe, answersUnder(probe, reading, kernel)));
}

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CLAIMS } from "../../src/attacks/claims.ts";
import { attacksFor } from "../../src/attacks/table.ts";
import { drillsFor } from "../../src/selftest/drills.ts";
import { SOME_TARGET } from "../support/attack-target.ts";
import { cofferdamFor } from "../support/battery/command.ts";
import { noDevices, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { compileCacheFor, PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the selftest");

const Report = z.object({
  runAs: z.number(),
  tried: z.array(
    z.object({
      claim: z.enum(Object.keys(CLAIMS)),
      title: z.string(),
      holds: z.boolean().nullable(),
      control: z.boolean().nullable(),
      note: z.string().nullable(),
    }),
  ),
});
type Report = z.infer<typeof Report>;

/** The cases are the same for everybody, wherever the folders are. */
const CASES = [...attacksFor(SOME_TARGET, "linux"), ...drillsFor("linux")];

it("no two cases of a claim have the same title", () => {
  const names = CASES.map(({ claim, title }) => `${claim}: ${title}`);
  expect(names).toEqual([...new Set(names)]);
});

describe.skipIf(unusable !== null).each(PEOPLE)("cofferdam selftest, as $name", (person) => {
  let run: { readonly status: unknown; readonly report: Report; readonly left: readonly string[] } | null =
    null;
  beforeAll(async () => {
    run = await selftestAs(person);
  });

  it("tries every case and every drill, and finds nothing wrong", () => {
    expect(run?.report.tried.map(({ claim, title }) => `${claim}: ${title}`)).toEqual(
      CASES.map(({ claim, title }) => `${claim}: ${title}`),
    );
    expect(run?.status).toBe(0);
    expect(run?.report.runAs).toBe(person.uid);
  });

  for (const [index, { claim, title, ...one }] of CASES.entries()) {
    const isOpen = "isOpenWithoutDevices" in one && person.uid === 0 && noDevices !== null;
    const hasNoControl = "controlFor" in one && person.uid !== 0;
    it(`${claim}: ${title}`, () => {
      expect(run?.report.tried[index]).toMatchObject({
        holds: isOpen ? null : true,
        control: hasNoControl ? null : true,
      });
    });
  }

  it("leaves nothing behind", () => {
    expect(run?.left).toEqual([]);
  });
});

async function selftestAs(person: Person) {
  using place = new Place(person, { isFirst: true });
  const [program, ...words] = cofferdamFor(person);
  const env = {
    PATH: "/usr/bin:/bin",
    XDG_STATE_HOME: place.state,
    TMPDIR: place.folder("tmp"),
    NODE_COMPILE_CACHE: compileCacheFor(person),
  };
  const child = spawn(program, [...words, "selftest", "--json"], { ...person.runAs, cwd: place.top, env });
  const [out, err, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once("close", resolve)),
  ]);
  if (out === "") throw new Error(err);
  const left = [
    ...readdirSync(join(place.top, "tmp")),
    ...readdirSync(tmpdir()).filter((name) => name.startsWith("cofferdam-selftest-")),
    ...(existsSync(join(place.state, "cofferdam")) ? readdirSync(join(place.state, "cofferdam")) : []),
  ];
  return { status, report: Report.parse(JSON.parse(out)), left };
}

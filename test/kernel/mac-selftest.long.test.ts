import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { attacksFor } from "../../src/attacks/table.ts";
import { drillsFor } from "../../src/selftest/drills.ts";
import type { Tried } from "../../src/selftest/run-selftest.ts";
import { SOME_TARGET } from "../support/attack-target.ts";
import { notRoot } from "../support/battery/needs.ts";
import { checkoutFor, compileCacheFor, ORDINARY, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { noStandIn, StandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("the selftest of macOS");
/** Root must own the stand-in, like every helper; its calls must belong to another user. */
const NOT_HERE = noStandIn ?? notRoot;
if (NOT_HERE !== null) console.warn(`the selftest of macOS: not tried on this machine: ${NOT_HERE}`);

const Report = z.object({
  tried: z.array(
    z.object({
      claim: z.string(),
      title: z.string(),
      holds: z.boolean().nullable(),
      control: z.boolean().nullable(),
      note: z.string().nullable(),
    }),
  ),
});

const CASES = [...attacksFor(SOME_TARGET, "darwin"), ...drillsFor("darwin")];

/** What the stand-in can't refuse, and why. `test/seatbelt-model/selftest/cases.slow.test.ts` tests these by the rules. */
const NO_PROTECTION: readonly (readonly [why: string, which: RegExp])[] = [
  [
    "a folder is given with all that is in it: Landlock takes nothing away below what it gives",
    /^(git\.exec|suffix|fs\.rename|fs\.missing: a missing|fs\.read: a hidden (file|folder)|fs\.write: a read-only file \()/,
  ],
  ["Landlock knows no rights to modes", /read-only root, no mode|no file can be made setuid/],
  ["Landlock knows no datagrams", /datagram/],
  ["ps gains no rights on Linux", /ps, which gains rights/],
  ["no ioctl on devices is filtered", /^tty: no input/],
];

/** What there is on macOS alone: its calls by number, its programs, and a disk that takes two spellings for one. */
const ONLY_THERE: readonly RegExp[] = [
  /^(services|identity): /,
  /flags|an extended attribute|another case|other spelling|cloned|exchanged/,
  /^fs\.(read|write): .*by the data volume/,
  /^fs\.read: (\/|the home folder|the user's keychain)/,
  /^proc: (the list of processes|another system call|the arguments and variables|no data of a process)/,
  /^priv: /,
  /^net\.none: (no name is resolved|the machine's resolvers|no program can listen)/,
  /^sock: a socket of the host cannot be reached by a new link/,
  /^tty: no terminal can be created/,
];

describe.skipIf(NOT_HERE !== null)("the selftest of macOS, behind a stand-in for its sandbox program", () => {
  let tried: readonly Pick<Tried, "title" | "holds" | "control" | "note">[] = [];
  let left: readonly string[] = [];
  beforeAll(async () => {
    using place = new Place(ORDINARY);
    using standIn = new StandIn();
    const [program, ...words] = runFile(checkoutFor(ORDINARY), "mac-selftest-driver.ts");
    // Short, so that sockets can be made below it.
    const tmp = "/tmp";
    const child = spawn(program, [...words, standIn.folder], {
      ...ORDINARY.runAs,
      cwd: place.top,
      env: {
        PATH: "/usr/bin:/bin",
        XDG_STATE_HOME: place.state,
        TMPDIR: tmp,
        NODE_COMPILE_CACHE: compileCacheFor(ORDINARY),
      },
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (out === "") throw new Error(err);
    ({ tried } = Report.parse(JSON.parse(out)));
    left = [
      ...readdirSync(tmp).filter((name) => name.startsWith("cofferdam-s-")),
      ...readdirSync(place.state, { recursive: true, encoding: "utf8" }),
    ];
  });

  it("tries every case and every drill of macOS", () => {
    expect(tried.map(({ title }) => title)).toEqual(CASES.map(({ title }) => title));
  });

  it("leaves nothing behind", () => {
    expect(left).toEqual([]);
  });

  it.each(whichAre("told"))("%s", (_, at) => {
    expect(tried[at]).toMatchObject({ holds: true, control: true });
  });

  it.each(whichAre("without protection"))(
    "%s, for which there is no protection here, has a control that can be done",
    (_, at) => {
      expect(tried[at]?.control).toBe(true);
    },
  );

  it.each(whichAre("of macOS"))("%s, which can't be told here, does not count as held", (_, at) => {
    const { holds, control } = tried[at] ?? {};
    expect([holds, control]).not.toEqual([true, true]);
  });
});

/** Names of cases, each with its place among all. */
function whichAre(
  kind: "told" | "without protection" | "of macOS",
): readonly (readonly [name: string, at: number])[] {
  return CASES.map(({ claim, title }, at) => [`${claim}: ${title}`, at] as const).filter(([name]) => {
    if (ONLY_THERE.some((one) => one.test(name))) return kind === "of macOS";
    return kind === (NO_PROTECTION.some(([, one]) => one.test(name)) ? "without protection" : "told");
  });
}

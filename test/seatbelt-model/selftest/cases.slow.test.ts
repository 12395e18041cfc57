import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Attack } from "../../../src/attacks/attack.ts";
import { attacksFor } from "../../../src/attacks/table.ts";
import { CALL } from "../../support/mac/mac-case.ts";
import { compile, type Profile } from "../compile.ts";
import { decide } from "../decide.ts";
import type { Query, Reading } from "../query.ts";
import { EVERY_READING, LIKELY as LIKELY_READING } from "../readings.ts";
import { type Kernel, LAX, LAX_BUT_LINKS, LIKELY, STRICT } from "../world/kernel.ts";
import { copyOf } from "../world/world.ts";
import { askedBy, NOT_ASKED } from "./acts.ts";
import { type Change, type MacGround, macGround } from "./selftest-text.ts";
import { runLine } from "./shell.ts";

/** Those that differ in what rules on files and names may hang on. */
const READINGS = EVERY_READING.filter(
  ({ sharpStrings, regexUnit }) => sharpStrings === "raw" && regexUnit === "byte",
);
const SOME_READINGS = READINGS.filter((_, at) => at % 7 === 0);

const nameOf = ({ claim, title }: Attack): string => `${claim}: ${title}`;
let ground: MacGround;
beforeAll(async () => {
  ground = await macGround();
});
afterAll(() => ground[Symbol.dispose]());

describe.each([
  ["the likely one", LIKELY, READINGS],
  ["one that asks the most", STRICT, SOME_READINGS],
  ["one that asks little but for links", LAX_BUT_LINKS, SOME_READINGS],
] as const)("on a Mac whose kernel is %s, however rules are read there", (_, kernel, readings) => {
  it("the rules of the selftest's call refuse every attack, and let its control be done", {
    timeout: 120_000,
  }, () => {
    const wrong = readings.flatMap((reading) => wrongUnder(ground, reading, kernel));
    expect([...new Set(wrong)]).toEqual([]);
  });
});

it("what no rule is asked for is listed with a reason, and is no more than that", () => {
  const names = attacksFor(ground.target, "darwin").map(nameOf);
  const listed = [...Object.keys(NOT_ASKED), ...Object.keys(askedBy({ ...ground.target, tmp: CALL }))];
  expect(listed.filter((name) => !names.includes(name))).toEqual([]);
});

/** A rule that is added, or a protection that is left out, and an attack that it lets through. */
const MUTANTS: readonly (readonly [what: string, rule: string, red: readonly string[]])[] = [
  [
    "a folder outside is granted",
    '(allow file-read* file-read-data file-write* file-write-data (subpath "OUTSIDE"))',
    [
      "fs.read: a file outside cannot be read by its path",
      "fs.write: a file outside cannot be written by another case of its folder's name",
      "fs.read: a file outside cannot be read by an existing symlink",
    ],
  ],
  [
    "links are let be made",
    "(allow file-link)",
    [
      "fs.read: a file outside cannot be linked into a root",
      "fs.write: in a read-only root, no file can be hard-linked outside",
    ],
  ],
  [
    "files are let be cloned",
    "(allow file-clone)(allow file-read*)(allow file-read-data)",
    ["fs.read: a file outside cannot be cloned into a root"],
  ],
  [
    "the network is given",
    "(allow network-outbound)",
    [
      "net.none: a server on this machine's loopback cannot be reached",
      "sock: a socket of the host in a granted folder cannot be reached",
    ],
  ],
  [
    "services are given",
    "(allow mach-lookup)",
    ["services: no pasteboard can be read", "services: the user accounts are not visible"],
  ],
  ["signals are let go anywhere", "(allow signal)", ["proc: no process of the host can be signalled"]],
  [
    "variables of the kernel are given",
    "(allow sysctl-read)",
    [
      "proc: the list of processes is refused without `processes`",
      "priv: an unlisted kernel variable cannot be read",
    ],
  ],
  [
    "what is known about processes is given",
    "(allow process-info*)",
    [
      "proc: no data of a process outside is visible",
      "proc: another system call does not return the list of processes",
    ],
  ],
  [
    "names for memory are given",
    "(allow ipc-posix-shm*)(allow ipc-sysv*)",
    ["services: no named shared memory can be opened", "services: no System V shared memory can be opened"],
  ],
  [
    "set-uid bits are let be set",
    '(allow file-write-setugid (subpath "WS"))',
    ["sys: no file can be made setuid"],
  ],
];

it.each(MUTANTS)("turns red where %s", (_, rule, red) => {
  const added = rule.replaceAll("OUTSIDE", ground.target.outside).replaceAll("WS", ground.target.ws);
  const texts = { ...ground.texts, granted: `${ground.texts.granted}\n${added}\n` };
  const wrong = wrongUnder({ ...ground, texts }, LIKELY_READING, LIKELY);
  expect(red.filter((name) => !wrong.includes(name))).toEqual([]);
});

it("turns red for every protected and hidden name where the operator's profile is left out", async () => {
  using open = await macGround({ hasProfile: false } satisfies Change);
  const wrong = wrongUnder(open, LIKELY_READING, LIKELY);
  const names = attacksFor(open.target, "darwin").map(nameOf);
  const about = names.filter((name) =>
    /a (read-only|hidden) file \(|a missing name \(|a hidden folder/.test(name),
  );
  // Of its own no file is given a second name, and what is hidden by a link is what the link leads to.
  const held = about.filter((name) => !wrong.includes(name));
  expect(held.filter((name) => !name.includes("hard link"))).toEqual([]);
  expect(about.length).toBeGreaterThan(60);
});

/** The names of cases whose attack is done, or whose control is not. */
function wrongUnder(
  { target, texts, parameters, world }: Omit<MacGround, typeof Symbol.dispose>,
  reading: Reading,
  kernel: Kernel,
): readonly string[] {
  const asked = askedBy({ ...target, tmp: `${CALL}/tmp` });
  const judges = {
    granted: judgeOf(texts.granted, parameters, reading),
    wider: judgeOf(texts.wider, parameters, reading),
    outside: () => true,
    own: () => true,
  };
  const run = (line: string, where: Attack["control"]["where"]): boolean =>
    runLine(line, copyOf(world), judges[where], where === "outside" ? WHATEVER : kernel);
  return attacksFor(target, "darwin").flatMap((one) => {
    const name = nameOf(one);
    if (Object.hasOwn(NOT_ASKED, name)) return [];
    const { attack, control } = asked[name] ?? {};
    // What a system has no operation for it does not ask about: what it does then nobody has written down.
    if (attack?.some(({ operation }) => !reading.knows(operation)) === true) return [];
    const isDone = attack === undefined ? run(one.line, "granted") : attack.every(judges.granted);
    const isTwinDone =
      attack === undefined
        ? run(one.control.line, one.control.where)
        : (control ?? []).every(judges[one.control.where]);
    const isExcused = one.controlMayFail !== undefined && kernel !== LIKELY;
    return isDone || !(isTwinDone || isExcused) ? [name] : [];
  });
}

/** Twins that nothing refuses may do what some disk does. */
const WHATEVER: Kernel = LAX;

const profiles = new Map<string, Profile>();

function judgeOf(
  text: string,
  parameters: ReadonlyMap<string, string>,
  reading: Reading,
): (query: Query) => boolean {
  const key = `${reading.sharpStrings}${reading.knows("file-link")}${text}`;
  const known = profiles.get(key);
  const made = known ?? compile(text, reading, { params: parameters });
  if (made.kind !== "profile") throw new Error(JSON.stringify(made));
  profiles.set(key, made);
  return (query) => decide(made, query, reading).allowed;
}

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { endingOf, type How, startCommand } from "../support/battery/command.ts";
import { descendantsOf } from "../support/battery/descendants.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end, leftAfter, processesWith, textOf } from "../support/battery/processes.ts";
import { rowsOf } from "../support/battery/rows-of.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("signals at every instant");

type Name = "SIGINT" | "SIGTERM" | "SIGHUP";

/** What is sent, one after another. */
const SENT: readonly (readonly Name[])[] = [
  ["SIGTERM"],
  ["SIGHUP"],
  ["SIGINT", "SIGINT"],
  ["SIGHUP", "SIGINT", "SIGTERM"],
];

/** Where a command is when it is signalled: what it runs, and how it is seen to have got there. */
interface Instant {
  readonly words: (place: Place, word: string) => readonly string[];
  readonly isThere: (child: ChildProcess, place: Place) => boolean;
  /** Its output is not read. */
  readonly isUnread?: boolean;
  /** The program may have ended by itself: then its own status is as right. */
  readonly own?: number;
  /** Nothing was ever run in the place. */
  readonly isFirst?: boolean;
}

const run = (line: string) => (place: Place, word: string) => [
  ...[
    "run",
    "--quiet",
    "--config",
    join(place.top, "config.yaml"),
    "--profile",
    join(place.top, "profile.yaml"),
  ],
  ...["--", "sh", "-c", `${line}; : ${word}`],
];
const call = (tool: string, input: unknown) => (place: Place) => [
  ...["call", "--quiet", "--approve-all", "--config", join(place.top, "config.yaml")],
  ...["--profile", join(place.top, "profile.yaml"), tool, JSON.stringify(input)],
];
const STUBBORN = "trap '' TERM INT HUP; : > up; while :; do sleep 0.05; done";
const CATCHES = "trap 'exit 0' TERM; : > up; while :; do sleep 0.05; done";
const isUp = (_: ChildProcess, place: Place): boolean => existsSync(join(place.ws, "up"));
const launches = ({ pid = 0 }: ChildProcess): boolean => childrenOf(pid).some(isLauncher);
const isAtStart = ({ pid = 0 }: ChildProcess): boolean =>
  childrenOf(pid)
    .filter(isLauncher)
    .flatMap(childrenOf)
    .some((one) => !isLauncher(one));
const runsWorker = (child: ChildProcess): boolean =>
  descendantsOf(child.pid ?? 0).some((pid) => textOf(`/proc/${pid}/cmdline`).includes("cofferdam-worker"));

const INSTANTS: Readonly<Record<string, Instant>> = {
  "before its code runs": { words: run(STUBBORN), isThere: () => true },
  "while its code is loaded": {
    words: run(STUBBORN),
    isThere: ({ pid }) => textOf(`/proc/${pid}/maps`).includes("[heap]") && Math.random() < 0.02,
  },
  "while the machine is tried out": { words: run(STUBBORN), isThere: launches, isFirst: true },
  "while the sandbox is built": { words: run(STUBBORN), isThere: launches },
  "in the start program": { words: run(STUBBORN), isThere: isAtStart },
  "while a program runs that ignores it": { words: run(STUBBORN), isThere: isUp },
  "while a program runs that catches it and exits 0": { words: run(CATCHES), isThere: isUp },
  "while output is not read": { words: run(": > up; exec yes"), isThere: isUp, isUnread: true },
  "when the program ends": { words: run(": > up; exit 0"), isThere: isUp, own: 0 },
  "while a file is worked on": {
    words: call("find_files", { pattern: "**/*" }),
    isThere: runsWorker,
    own: 0,
  },
};

/** By day, a person tries one of its rows at each instant, in turn. With `--long`, or as the only person, it tries all. */
function sentAt(person: Person, instant: string): readonly (readonly Name[])[] {
  const [rows, at] = [rowsOf(person, SENT), Object.keys(INSTANTS).indexOf(instant)];
  return IS_LONG || PEOPLE.length === 1 ? rows : rows.filter((_, index) => index === at % rows.length);
}

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each(Object.entries(INSTANTS))(
    "proc, fs.residue: signals %s end everything, with 128 and the number of one",
    {
      timeout: 240_000,
    },
    async (instant, at) => {
      using place = new Place(person);
      place.config();
      const masks = [{ pattern: `${place.ws}/held/below`, at_most: "none" }];
      place.file("profile.yaml", JSON.stringify({ profile: "holds", masks }), 0o600);
      const rows: string[] = [];
      for (const sent of sentAt(person, instant)) {
        if (at.isFirst === true) place.remove("state/cofferdam");
        const { how, left, residue } = await signalled(place, at, sent);
        rows.push(`${sent.join("+")}: ${how.status}${how.isBySignal ? " by the signal" : ""}`);
        expect([sent, left, residue]).toEqual([sent, [], []]);
        const numbers = sent.map((name) => 128 + constants.signals[name]);
        expect([...numbers, ...(at.own === undefined ? [] : [at.own])]).toContain(how.status);
      }
      console.info(`as ${person.name}, ${instant}: ${rows.join("; ")}`);
    },
  );

  async function signalled(
    place: Place,
    { words, isThere, isUnread = false }: Instant,
    sent: readonly Name[],
  ) {
    const word = randomBytes(12).toString("hex");
    place.remove("ws/up");
    const child = startCommand(place, words(place, word));
    onTestFinished(() => end([child.pid ?? 0]));
    if (!isUnread) child.stdout?.resume();
    child.stderr?.resume();
    const ended = endingOf(child);
    const isOver = ended.then(() => true);
    while (!isThere(child, place)) if ((await Promise.race([isOver, pause(1)])) === true) break;
    for (const name of sent) {
      child.kill(name);
      await Promise.race([ended, pause(Math.random() * 40)]);
    }
    const how: How = await ended;
    child.stdout?.destroy();
    const left = await leftAfter(3_000, word, place.top);
    const made = [...listed(place.ws), ...listed(join(place.state, "cofferdam/ledger"))];
    return { how, left, residue: made.filter((name) => name !== "up") };
  }

  it("proc: SIGQUIT and SIGKILL end the command at once, and the kernel what runs; the next one sweeps", {
    timeout: 60_000,
  }, async () => {
    for (const name of ["SIGQUIT", "SIGKILL"] as const) {
      using place = new Place(person);
      const word = randomBytes(12).toString("hex");
      place.config();
      const masks = [{ pattern: `${place.ws}/held/below`, at_most: "none" }];
      place.file("profile.yaml", JSON.stringify({ profile: "holds", masks }), 0o600);
      const words = run(STUBBORN)(place, word);
      const child = startCommand(place, words);
      while (!existsSync(join(place.ws, "up"))) await pause(5);
      expect(processesWith(word).length).toBeGreaterThan(0);
      child.kill(name);
      expect(await endingOf(child)).toEqual({ status: 128 + constants.signals[name], isBySignal: true });
      expect(await leftAfter(2_000, word)).toEqual([]);
      expect(readdirSync(place.ws)).toEqual(["held", "up"]);
      const next = startCommand(place, [...words.slice(0, words.indexOf("--")), "--", "true"]);
      expect(await endingOf(next)).toEqual({ status: 0, isBySignal: false });
      expect(readdirSync(place.ws)).toEqual(["up"]);
    }
  });
});

function childrenOf(pid: number): readonly number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

function isLauncher(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).endsWith("/bwrap");
  } catch {
    return false;
  }
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

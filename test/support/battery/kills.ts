import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Person } from "./people.ts";
import { Place } from "./place.ts";
import { describeProcess, end, IN_LAUNCHERS, leftAfter } from "./processes.ts";

/** What became of launches whose supervisor was killed. */
export interface Killed {
  /** Launches that had begun when their supervisor died. */
  readonly tries: number;
  /** Programs of them that had been let go by then. */
  readonly started: number;
  /** Processes that were left two seconds later. */
  readonly left: readonly string[];
}

/** Launches that one supervisor has under way when it is killed: each is at an instant of its own. */
const AT_ONCE = 8;

/** This many supervisors are killed before the test fails because no program, or every program, had started. */
const MIN_SEARCHED = 24;

/** Launches begin within this time. */
const SPREAD_MS = 120;

/**
 * Kills supervisors until so many launches have lost theirs, several supervisors at a time. How long a launch takes
 * here is not known: kills come sooner when all programs had started by then, and later when none had.
 */
export async function killSupervisors(
  person: Person,
  tries: number,
  prepare: (place: Place) => void = () => undefined,
): Promise<Killed> {
  using place = new Place(person);
  prepare(place);
  const rounds = Math.ceil(tries / AT_ONCE);
  // One that ends by itself leaves what Node compiled for those that can't.
  const [made] = await place.run({ job: { calls: [] } });
  if (made?.kind !== "made") throw new Error(`no supervisor was made: ${JSON.stringify(made)}`);
  const killed: Killed[] = [];
  const sum = () => totalOf(killed);
  const isSpread = () => sum().started > sum().tries / 20 && sum().started < sum().tries;
  let withinMs = 3 * SPREAD_MS;
  while (killed.length < rounds || (!isSpread() && killed.length < Math.max(MIN_SEARCHED, 4 * rounds))) {
    const some = await Promise.all(Array.from({ length: 3 }, () => killOne(place, withinMs)));
    killed.push(...some);
    const { started, tries: all } = totalOf(some);
    if (started === all) withinMs /= 2;
    else if (started === 0) withinMs *= 2;
  }
  return sum();
}

function totalOf(killed: readonly Killed[]): Killed {
  return {
    tries: killed.reduce((sum, one) => sum + one.tries, 0),
    started: killed.reduce((sum, one) => sum + one.started, 0),
    left: killed.flatMap((one) => one.left),
  };
}

/** Kills one with launches under way, at some instant within the time. */
async function killOne(place: Place, withinMs: number): Promise<Killed> {
  const word = randomBytes(12).toString("hex");
  const program = `open F, ">", "${place.ws}/" . $ARGV[0]; close F; $SIG{$_} = "IGNORE" for qw(TERM HUP INT); sleep 600`;
  const calls = Array.from({ length: AT_ONCE }, (_, index) => ({
    // Of every other one the launchers are found too; the others are started as most are.
    argv: ["perl", "-e", program, `${word}-${index}`, ...(index % 2 === 0 ? [IN_LAUNCHERS] : [])],
    afterMs: Math.random() * SPREAD_MS,
  }));
  const child = place.start({ job: { calls } }, `${word}.json`);
  if (child.stdout === null) throw new Error("no standard output");
  const closed = once(child, "close");
  const [line] = (await Promise.race([
    once(child.stdout, "data"),
    closed.then(() => []),
  ])) as readonly unknown[];
  if (!String(line).includes("made")) throw new Error(`the supervisor was not made: ${String(line)}`);
  await pause(withinMs * Math.random());
  child.kill("SIGKILL");
  // The job's file stands in the supervisor's own command line, and in that of what it has forked but not yet started.
  const left = await leftAfter(2_000, word);
  const started = readdirSync(place.ws).filter((name) => name.startsWith(word)).length;
  const described = left.map(describeProcess);
  end(left);
  return { tries: AT_ONCE, started, left: described };
}

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { environmentIn } from "./command.ts";
import { descendantsOf, untilGone } from "./descendants.ts";
import { checkoutFor, type Person, runFile } from "./people.ts";
import { Place } from "./place.ts";
import { describeProcess, leftAfter, textOf } from "./processes.ts";
import { Figures, type SoakJob } from "./soak-job.ts";

type Look = Extract<Figures, { kind: "figures" }>;

/** What a soak left, and what it saw. */
export interface Soaked {
  /** Calls of the supervisor that lives, and of those that were killed, as far as these had begun. */
  readonly calls: number;
  readonly killed: number;
  /** How many calls ended how, of the supervisor that lives. */
  readonly ends: Readonly<Record<string, number>>;
  /** From the first supervisor's end on. */
  readonly looks: readonly Look[];
  /** Processes of any call that are there now, and others that see the place. */
  readonly processes: readonly string[];
  /** What lies where nothing should. */
  readonly residue: readonly string[];
  readonly seconds: number;
}

/** Of so many calls that one supervisor makes, there is one other supervisor that is killed while it makes some. */
const CALLS_PER_KILL = 30;

/** So many calls a supervisor that is killed has under way. */
const AT_ONCE = 8;

/**
 * Has one supervisor make calls of every kind and ending, one after another and some at once, while others in the same
 * place, with the same state folder, are killed amid theirs.
 */
export async function soak(person: Person, calls: number, seed: number): Promise<Soaked> {
  const began = performance.now();
  using place = new Place(person);
  const temporary = place.folder("temporary");
  const word = `soak-${randomBytes(12).toString("hex")}`;
  const shell = { default: { approval: true }, rules: [{ pattern: "forbidden", allowed: false }] };
  const masks = [
    { pattern: `${place.ws}/held`, at_most: "none" },
    { pattern: `${place.ws}/deep/er/held`, at_most: "read" },
  ];
  const profile = place.file("profile.yaml", JSON.stringify({ profile: "holds", masks }), 0o600);
  const config = place.config({ shell });
  const job: SoakJob = {
    ...{ config, profiles: [profile], cwd: place.ws, word, seed },
    ...{ calls, perSession: 40, every: Math.max(25, Math.floor(calls / 20)) },
  };
  const living = live(place, job, temporary);
  const counts = { killed: 0, begun: 0 };
  const others = (async () => {
    const max = Math.floor(calls / CALLS_PER_KILL);
    while (counts.killed < max && !living.isOver()) {
      counts.begun += await killOne(place, profile, word, temporary);
      counts.killed += 1;
    }
  })();
  const lines = await living.lines;
  await others;
  const processes = [...(await leftAfter(3_000, word)).map(describeProcess), ...(await untilNoneSees(place))];
  // What the last killed ones left is swept by the next start of that user, and by the next tool on files; where they wrote
  // is known a while longer.
  const steps = [{ tool: "list_dir", input: { path: "." } }];
  const sweep = () =>
    place.run({ job: { profiles: [profile], calls: [], steps }, env: { TMPDIR: temporary } });
  await sweep();
  await pause(5_100);
  await sweep();
  return {
    calls: calls + counts.begun,
    killed: counts.killed,
    ends: lines.findLast((line) => line.kind === "ends")?.ends ?? {},
    looks: lines.filter((line) => line.kind === "figures"),
    processes,
    residue: residueOf(place, temporary),
    seconds: Math.round((performance.now() - began) / 1000),
  };
}

function live(place: Place, job: SoakJob, temporary: string) {
  const { person } = place;
  const [node, ...words] = runFile(checkoutFor(person), "soak-driver.ts");
  const child = spawn(node, ["--expose-gc", ...words, JSON.stringify(job)], {
    ...person.runAs,
    cwd: place.ws,
    env: environmentIn(place, { TMPDIR: temporary }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const lines = new Promise<readonly Figures[]>((resolve, reject) => {
    child.once("close", (code) => {
      if (code !== 0)
        return reject(new Error(`the soaked supervisor ended with ${String(code)}, seed ${job.seed}`));
      resolve(
        text
          .trim()
          .split("\n")
          .map((line) => Figures.parse(JSON.parse(line))),
      );
    });
  });
  return { lines, isOver: () => child.exitCode !== null || child.signalCode !== null };
}

/** Kills a supervisor at some instant while it runs programs and works on files; how many of its calls had begun. */
async function killOne(place: Place, profile: string, word: string, temporary: string): Promise<number> {
  const calls = Array.from({ length: AT_ONCE }, (_, index) => ({
    argv: ["sh", "-c", "setsid sleep 600 & trap '' TERM; sleep 600; :", word],
    afterMs: index * 40,
  }));
  const steps = [{ tool: "write_file", input: { path: "killed", content: "x".repeat(200_000) } }];
  const isFiles = Math.random() < 0.5;
  const job = isFiles ? { calls: [], steps, rounds: 1_000 } : { calls };
  const name = `job-${randomBytes(6).toString("hex")}.json`;
  const child = place.start({ job: { profiles: [profile], ...job }, env: { TMPDIR: temporary } }, name);
  const closed = new Promise((resolve) => child.once("close", resolve));
  const made = new Promise((resolve) => child.stdout?.once("data", resolve));
  await Promise.race([made, closed]);
  const afterMs = Math.random() * 500;
  await pause(afterMs);
  const below = descendantsOf(child.pid ?? -1);
  child.kill("SIGKILL");
  await closed;
  await untilGone(below);
  place.remove(name);
  return isFiles ? 1 : calls.filter((one) => one.afterMs < afterMs).length;
}

/** Processes in whose mounts the place still appears after a while; one that is ending sees it until it has ended. */
async function untilNoneSees(place: Place): Promise<readonly string[]> {
  const sees = (pid: string): boolean =>
    /^\d+$/.test(pid) && textOf(`/proc/${pid}/mountinfo`).includes(place.top);
  for (let tries = 0; tries < 150; tries += 1) {
    if (!readdirSync("/proc").some(sees)) return [];
    await pause(20);
  }
  return readdirSync("/proc")
    .filter(sees)
    .map((pid) => `mounted for ${describeProcess(Number(pid))}`);
}

function residueOf(place: Place, temporary: string): readonly string[] {
  const kept =
    /^(attestation\.json|empty|journal|launcher\.json|ledger|ledger-lock|live|live-lock|devices|supervisors|temporaries|watched)$/;
  const state = join(place.state, "cofferdam");
  return [
    ...listed(place.ws).filter((name) => !/^(f\d+|killed)$/.test(name)),
    ...listed(temporary),
    ...listed(state).filter((name) => !kept.test(name)),
    ...["ledger", "live", "supervisors", "temporaries", "watched"].flatMap((name) =>
      listed(join(state, name)),
    ),
    ...["ledger-lock", "live-lock"].flatMap((name) =>
      listed(join(state, name)).filter((one) => one !== "free"),
    ),
  ];
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Person } from "./people.ts";
import { Place } from "./place.ts";
import { type Probe, probes, script, type Target } from "./probes.ts";
import { notRoot } from "./walls.ts";

/** What became of every probe, by its place in the list: `y` when the act was done, null when it was not tried. */
export interface Answers {
  readonly inside: readonly (string | null)[];
  readonly twins: readonly (string | null)[];
  /** Capabilities, no_new_privs and filter of a process inside, as the kernel lists them. */
  readonly status: Readonly<Record<string, string>>;
  /** The text of the file outside, after everything. */
  readonly canary: string;
}

/** Tries every probe as the person: the attacks inside, then each twin where it belongs. */
export async function tryAll(person: Person): Promise<Answers> {
  using place = new Place(person);
  prepare(place);
  const word = randomBytes(12).toString("hex");
  passSmallPids();
  const sleeper = spawn("/usr/bin/perl", ["-e", "sleep 600", word], {
    ...person.runAs,
    cwd: "/",
    stdio: "ignore",
  });
  try {
    await once(sleeper, "spawn");
    const target: Target = { ws: place.ws, outside: place.outside, pid: sleeper.pid ?? 0, word };
    return await answersFor(place, probes(target));
  } finally {
    sleeper.kill("SIGKILL");
  }
}

/** Pids inside are small; a process of the host that had a small one could not be told from one of the sandbox. */
export function passSmallPids(): void {
  const line =
    'while [ "$(sh -c "echo \\$\\$")" -lt 3000 ]; do for i in 1 2 3 4 5 6 7 8 9; do (:); done; done';
  spawnSync("/bin/sh", ["-c", line], { stdio: "ignore" });
}

function prepare(place: Place): void {
  place.file("outside/canary", "secret\n");
  place.folder("ws/inner");
  place.file("ws/inner/canary", "secret\n");
  for (const folder of ["outside", "ws/inner"]) {
    const path = join(place.top, folder);
    symlinkSync(path, join(place.ws, `to-${path.slice(path.lastIndexOf("/") + 1)}`));
  }
  if (notRoot !== null) return;
  const setuid = join(place.ws, "setuid-id");
  copyFileSync("/usr/bin/id", setuid);
  chmodSync(setuid, 0o4755);
}

async function answersFor(place: Place, list: readonly Probe[]): Promise<Answers> {
  const granted = script(list.filter(({ twin }) => twin.where === "granted").map(({ twin }) => twin.line));
  const lines = [
    script(list.map(({ attack }) => attack)),
    granted,
    `perl -ne 'print if /^(Cap|NoNewPrivs|Seccomp:)/' /proc/self/status`,
  ];
  const [, attacks, grants, status] = await place.run({
    job: { calls: lines.map((line) => ({ argv: ["sh", "-c", line] })) },
  });
  const done = new Map([
    ["granted", answersOf(grants?.kind === "ran" ? grants.stdout : "")],
    ["outside", answersOf(outside(place, list, "outside", ""))],
    ["own", answersOf(outside(place, list, "own", "unshare -Urmu "))],
  ]);
  const twins = list.map(({ twin, twinFor }) => {
    const answer = done.get(twin.where)?.shift() ?? null;
    if (twinFor === "root" && place.person.uid !== 0) return null;
    return twinFor === "prepared by root" && notRoot !== null ? null : answer;
  });
  return {
    inside: answersOf(attacks?.kind === "ran" ? attacks.stdout : ""),
    twins,
    status: fieldsOf(status?.kind === "ran" ? status.stdout : ""),
    canary: place.read("outside/canary"),
  };
}

function outside(place: Place, list: readonly Probe[], where: Probe["twin"]["where"], under: string): string {
  const lines = list.filter(({ twin }) => twin.where === where).map(({ twin }) => twin.line);
  const ended = place.plainly(`${under}/bin/sh -c "$LINES"`, { LINES: script(lines) });
  if (ended.status !== null && ended.stdout !== "") return ended.stdout;
  console.warn(`twins that need ${under} are not tried: ${ended.stderr.trim()}`);
  return "";
}

function answersOf(text: string): string[] {
  return text.split("\n").filter((line) => line === "y" || line === "n");
}

function fieldsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split(/:\s+/, 2)),
  );
}

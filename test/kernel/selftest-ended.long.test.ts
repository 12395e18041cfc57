import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { startCommand } from "../support/battery/command.ts";
import { descendantsOf } from "../support/battery/descendants.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end } from "../support/battery/processes.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("a selftest that is ended");

/**
 * Starts its words, says which process that is, then how it ended, and ends when nothing of it is left: whoever has no parent
 * any more becomes its child (prctl(2), PR_SET_CHILD_SUBREAPER).
 */
const REAPER = `$| = 1;
  syscall(${process.arch === "arm64" ? 167 : 157}, 36, 1, 0, 0, 0) == 0 or die;
  my $c = fork // die;
  if (!$c) { open STDOUT, ">", "/dev/null"; open STDERR, ">", "/dev/null"; exec @ARGV or die }
  print "$c\\n";
  waitpid $c, 0;
  print $? & 127 ? 128 + ($? & 127) : $? >> 8, "\\n";
  1 while wait > 0`;

/** A run of the battery takes some four seconds, three times as long on a machine that is busy. */
const MAX_MS = 4_000;
const TIMES = IS_LONG ? 8 : 1;

class Run {
  readonly #reaper: ChildProcess;
  readonly #gone: Promise<unknown>;
  #said = "";

  constructor(place: Place) {
    this.#reaper = startCommand(place, ["selftest"], {
      under: ["/usr/bin/perl", "-e", REAPER],
      env: { TMPDIR: place.folder("tmp") },
    });
    this.#reaper.stdout?.on("data", (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#gone = new Promise((resolve) => this.#reaper.once("exit", () => resolve(true)));
    const { pid } = this.#reaper;
    onTestFinished(() => (pid === undefined ? undefined : end([...descendantsOf(pid), pid])));
  }

  async #line(at: number): Promise<number> {
    for (;;) {
      const lines = this.#said.split("\n");
      if (lines.length > at + 1) return Number(lines[at]);
      await pause(5);
    }
  }

  /** Signals it after a while, and waits until whatever it started is gone; what it ended with. */
  async signalled(name: NodeJS.Signals, afterMs: number): Promise<number> {
    const pid = await this.#line(0);
    await pause(afterMs);
    try {
      process.kill(pid, name);
    } catch {
      // On a quick machine the run has ended by then.
    }
    const status = await this.#line(1);
    await this.#gone;
    return status;
  }

  async status(): Promise<number> {
    await this.#gone;
    return this.#line(1);
  }
}

/** What is left of runs: folders of their own, and their state. */
function residue(place: Place): readonly string[] {
  return [
    ...readdirSync(join(place.top, "tmp")),
    ...statesOf(place).filter((name) => name.includes("selftest")),
  ];
}

/** A run that is not over takes folders of its own away meanwhile. */
function statesOf(place: Place): readonly string[] {
  for (;;) {
    try {
      return readdirSync(place.state, { recursive: true, encoding: "utf8" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
}

describe.skipIf(unusable !== null).each(PEOPLE)("cofferdam selftest, as $name", (person: Person) => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "proc, fs.residue: %s ends all of it at any instant, with 128 and its number, and nothing is left",
    { timeout: 120_000 },
    async (name) => {
      using place = new Place(person);
      const rows: string[] = [];
      for (let time = 0; time < TIMES; time += 1) {
        const afterMs = Math.round(Math.random() * MAX_MS);
        const status = await new Run(place).signalled(name, afterMs);
        rows.push(`after ${afterMs} ms`);
        const number = 128 + constants.signals[name];
        const told = { afterMs, isItsOwn: status === number || status === 0 };
        expect({ ...told, left: residue(place) }).toEqual({
          afterMs,
          isItsOwn: true,
          left: [],
        });
      }
      console.info(`as ${person.name}, ${name}: ${rows.join("; ")}`);
    },
  );

  it("proc, fs.residue: after SIGKILL no process stays, and the next run removes the folders, but no live run's", {
    timeout: 120_000,
  }, async () => {
    using place = new Place(person);
    const rows: string[] = [];
    let left: readonly string[] = [];
    while (rows.length < TIMES || left.length === 0) {
      const afterMs = Math.round(Math.random() * MAX_MS);
      await new Run(place).signalled("SIGKILL", afterMs);
      rows.push(`after ${afterMs} ms`);
      left = residue(place);
    }
    console.info(`as ${person.name}, SIGKILL: ${rows.join("; ")}`);
    const one = new Run(place);
    while (residue(place).some((name) => left.includes(name)) || residue(place).length === 0) await pause(20);
    const other = new Run(place);
    expect(await Promise.all([one.status(), other.status()])).toEqual([0, 0]);
    expect(residue(place)).toEqual([]);
  });
});

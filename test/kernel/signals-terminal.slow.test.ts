import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UNREAD_MS } from "../../src/channel/arming.ts";
import { cofferdamFor } from "../support/battery/command.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { leftAfter } from "../support/battery/processes.ts";
import { relay } from "../support/battery/relay.ts";

sandboxMustWork("signals of a terminal");

const STUBBORN = "trap '' TERM INT HUP; : > up; while :; do sleep 0.05; done";
const KEYS = "[y] yes, once";

describe.skipIf(unusable !== null).each(PEOPLE)("at a terminal, as $name", (person) => {
  let place: Place;
  let word = "";
  beforeEach(() => {
    place = new Place(person);
    place.config();
    word = randomBytes(12).toString("hex");
  });
  afterEach(() => place[Symbol.dispose]());

  const words = (line: string, ...options: readonly string[]): readonly string[] => [
    ...[
      ...cofferdamFor(person),
      "run",
      "--quiet",
      "--no-terminal",
      "--config",
      join(place.top, "config.yaml"),
      ...options,
    ],
    ...["--", "sh", "-c", `${line}; : ${word}`],
  ];
  const isUp = () => vi.waitUntil(() => existsSync(join(place.ws, "up")), { timeout: 20_000, interval: 20 });

  it.each([
    ["Ctrl-C", "\u{3}", "exit 130, signal 0"],
    ["Ctrl-C twice", "\u{3}\u{3}", "exit 130, signal 0"],
    ["Ctrl-\\", "\u{1c}", "exit 0, signal 3"],
  ] as const)(
    "proc: %s ends the command, what it runs, and leaves the terminal as it was",
    async (_, keys, how) => {
      const terminal = relay(place, words(STUBBORN));
      await isUp();
      terminal.type(keys);
      expect(await terminal.ending()).toEqual({ how, isCooked: true });
      expect(await leftAfter(3_000, word)).toEqual([]);
    },
  );

  it("proc, tty: Ctrl-C that is read together with a yes ends the command; twin: the yes alone runs it", async () => {
    const stopped = relay(place, words(": > up", "--ask"));
    await stopped.sees(KEYS);
    stopped.type("y\u{3}");
    expect(await stopped.ending()).toEqual({ how: "exit 130, signal 0", isCooked: true });
    expect(existsSync(join(place.ws, "up"))).toBe(false);
    const answered = relay(place, words(": > up", "--ask"));
    await answered.sees(KEYS);
    await pause(2 * UNREAD_MS);
    answered.type("y");
    expect(await answered.ending()).toEqual({ how: "exit 0, signal 0", isCooked: true });
    expect(existsSync(join(place.ws, "up"))).toBe(true);
  });

  it("proc: so does the end of the terminal", async () => {
    const terminal = relay(place, words(STUBBORN));
    await isUp();
    expect(terminal.below().length).toBeGreaterThan(2);
    terminal.hangUp();
    expect(await leftAfter(5_000, word, place.top)).toEqual([]);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)(
    "proc, tty: %s while a question is up is no answer, ends with %i, and leaves the terminal as it was",
    async (name, status) => {
      const terminal = relay(place, words(": > up", "--ask"));
      await terminal.sees(KEYS);
      const isAsking = (pid: number): boolean =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("\0--ask\0") &&
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/cli/main.js");
      const [asking] = terminal.below().filter(isAsking).toReversed();
      // Number 0 would be all of our own group.
      if (asking === undefined) throw new Error("nobody asks");
      process.kill(asking, name);
      expect(await terminal.ending()).toEqual({ how: `exit ${status}, signal 0`, isCooked: true });
      expect([existsSync(join(place.ws, "up")), await leftAfter(3_000, word)]).toEqual([false, []]);
    },
  );

  itNeeds(
    ["/bin/bash"],
    "proc: Ctrl-Z stops what runs with the command, daemons and who ignores it too, and `fg` lets all go on",
    async () => {
      const counts = (file: string): string => `while :; do echo x >> ${file}; sleep 0.02; done`;
      const line = `trap '' TSTP; setsid sh -c '${counts("daemon")}' & ${counts("own")}`;
      place.file(
        "ws/run",
        `exec ${words(line)
          .map((one) => `'${one.replaceAll("'", "'\\''")}'`)
          .join(" ")}\n`,
      );
      const length = (file: string): number =>
        existsSync(join(place.ws, file)) ? place.read(`ws/${file}`).length : 0;
      const lengths = (): readonly number[] => [length("own"), length("daemon")];
      const grows = async (): Promise<readonly boolean[]> => {
        const before = lengths();
        await pause(600);
        return lengths().map((now, at) => now > (before[at] ?? 0));
      };
      const terminal = relay(place, ["/bin/bash", "--norc", "--noprofile", "-i"]);
      terminal.type("PS1='ready> '\n");
      await terminal.sees("ready> ");
      terminal.type("sh run\n");
      await vi.waitUntil(() => lengths().every((one) => one > 0), { timeout: 20_000, interval: 20 });
      terminal.type("\u{1a}");
      await terminal.sees("Stopped");
      expect(await grows()).toEqual([false, false]);
      terminal.type("fg\n");
      await vi.waitFor(async () => expect(await grows()).toEqual([true, true]), { timeout: 60_000 });
      terminal.type("\u{1a}");
      await terminal.sees("Stopped");
      terminal.type("kill %1; fg; echo status $?\n");
      await terminal.sees(/status 143/);
      expect(await leftAfter(3_000, word)).toEqual([]);
      terminal.type("exit\n");
      expect((await terminal.ending()).isCooked).toBe(true);
    },
  );
});

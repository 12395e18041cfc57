import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CofferdamError } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end, leftAfter, processesWith } from "../support/battery/processes.ts";

sandboxMustWork("orphans");

/** Makes children of every stubborn kind, each with the word in its command line, and ends or stays itself. */
const STUBBORN = (ending: string): string => `
  use POSIX (); my $word = shift; $SIG{$_} = "IGNORE" for qw(TERM HUP INT QUIT USR1); my $line = 'sleep 600';
  for my $kind (qw(plain session daemon)) {
    next if fork; POSIX::setsid() if $kind ne "plain"; if ($kind eq "daemon") { exit if fork; chdir "/"; close STDOUT; close STDERR }
    exec "/usr/bin/perl", "-e", $line, "$word-$kind" }
  $| = 1; print "made\\n"; select undef, undef, undef, 0.2; ${ending}`;

describe.skipIf(unusable !== null)("whoever starts them", () => {
  let place: Place;
  let word = "";
  beforeEach(() => {
    place = new Place(CALLER);
    word = randomBytes(12).toString("hex");
  });
  afterEach(() => {
    end(processesWith(word));
    place[Symbol.dispose]();
  });

  it("proc: children that left the session, became daemons or ignore signals die with the call", async () => {
    await using supervisor = await place.supervisor();
    const outcome = await supervisor
      .session({ caller: "person" })
      .call("shell", { argv: ["perl", "-e", STUBBORN("exit 7"), word] });
    expect(processesWith(word)).toEqual([]);
    expect(outcome).toMatchObject({ kind: "failed", code: 7 });
    // Without the sandbox the same program leaves all three behind.
    spawnSync("/usr/bin/perl", ["-e", STUBBORN("exit 7"), word], { stdio: "ignore" });
    await vi.waitFor(() => expect(processesWith(word)).toHaveLength(3), { timeout: 5_000 });
  });

  it("proc, limit: they die at the wall time", async () => {
    await using supervisor = await place.supervisor({ sandbox: { limits: { wall: "2s" } } });
    const outcome = await supervisor
      .session({ caller: "person" })
      .call("shell", { argv: ["perl", "-e", STUBBORN("sleep 600"), word] });
    expect(processesWith(word)).toEqual([]);
    expect(outcome).toMatchObject({ kind: "timed-out", code: 137 });
  });

  it("proc: they die when the call is cancelled", async () => {
    await using supervisor = await place.supervisor();
    const controller = new AbortController();
    const call = supervisor
      .session({ caller: "person" })
      .call("shell", { argv: ["perl", "-e", STUBBORN("sleep 600"), word] }, { signal: controller.signal });
    await untilAlive(`${word}-`, 3);
    controller.abort();
    const outcome = await call;
    expect(processesWith(word)).toEqual([]);
    expect(outcome).toMatchObject({ kind: "failed", code: 137 });
  });

  it("proc: a call that is cancelled at some instant of its launch ends, and leaves nothing", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const ends = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await pause(index * 25);
        const call = session.call(
          "shell",
          { argv: ["perl", "-e", "sleep 600", word] },
          { signal: AbortSignal.timeout(Math.floor(Math.random() * 120)) },
        );
        return call.then(
          (outcome) => outcome.kind,
          (error: unknown) => (error instanceof CofferdamError ? error.code : String(error)),
        );
      }),
    );
    expect(processesWith(word)).toEqual([]);
    // Before the start program opened there is nothing that could have an outcome.
    expect([...new Set(ends)].filter((end) => end !== "failed" && end !== "SANDBOX_UNAVAILABLE")).toEqual([]);
  });

  it("proc: they die when the supervisor is killed", async () => {
    const child = place.start({ job: { calls: [{ argv: ["perl", "-e", STUBBORN("sleep 600"), word] }] } });
    await untilAlive(`${word}-`, 3);
    child.kill("SIGKILL");
    expect(await leftAfter(2_000, word)).toEqual([]);
  });

  it("proc: without these protections a sandbox outlives its supervisor", async () => {
    const bwrap = [
      "--ro-bind",
      "/",
      "/",
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      "--unshare-all",
      "--",
      "/usr/bin/perl",
      "-e",
      "sleep 600",
      word,
    ];
    const line = `require("child_process").spawn("/usr/bin/bwrap", ${JSON.stringify(bwrap)}, { stdio: "ignore" }); setTimeout(() => 0, 60000)`;
    const child = spawn(process.execPath, ["-e", line], { stdio: "ignore" });
    await untilAlive(word, 4);
    child.kill("SIGKILL");
    await once(child, "close");
    await pause(500);
    expect(processesWith(word).length).toBeGreaterThanOrEqual(2);
  });

  async function untilAlive(text: string, count: number): Promise<void> {
    await vi.waitUntil(() => processesWith(text).length >= count, { timeout: 10_000, interval: 20 });
  }
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Kept } from "../../src/host/launch/output.ts";
import type { CallOptions, ProgramOutcome } from "../../src/index.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("output");

/** Writes so many KiB to both streams by turns, ends with a mark on each. */
const BOTH = (kib: number): string =>
  `$| = 1; for (1 .. ${kib}) { syswrite STDOUT, "o" x 1024; syswrite STDERR, "e" x 1024 } syswrite STDOUT, "END"; syswrite STDERR, "END"`;

describe.skipIf(unusable !== null)("output", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  async function perl(
    line: string,
    limits: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<Extract<ProgramOutcome, { stdout: unknown }>> {
    await using supervisor = await place.supervisor({ sandbox: { limits } });
    const outcome = await supervisor
      .session({ caller: "person" })
      .call("shell", { argv: ["perl", "-e", line] }, options);
    if (!("stdout" in outcome)) throw new Error(JSON.stringify(outcome));
    return outcome;
  }

  it("limit: of both streams the first bytes are kept and the others counted, and the program is not held up", async () => {
    const { kind, stdout, stderr } = await perl(BOTH(5_000), { output: "64KiB" });
    const size = 5_000 * 1024 + 3;
    expect([kind, stdout.bytes.length, stdout.droppedBytes]).toEqual(["done", 65_536, size - 65_536]);
    expect([stderr.bytes.length, stderr.droppedBytes]).toEqual([65_536, size - 65_536]);
    expect([
      stdout.bytes.equals(Buffer.alloc(65_536, "o")),
      stderr.bytes.equals(Buffer.alloc(65_536, "e")),
    ]).toEqual([true, true]);
  });

  it("limit: of what is dropped the end is kept too, and of what is not there is none", async () => {
    const line = 'print "a" x 65536; print "b" x 100000; print "the end"; print STDERR "e"';
    const { stdout, stderr } = await perl(line, { output: "64KiB" });
    expect(stdout.tail.toString()).toBe(`${"b".repeat(16_384 - 7)}the end`);
    expect([stdout.droppedBytes, stderr.tail.length]).toEqual([100_007, 0]);
    const short = await perl('print "a" x 65536; print "end"', { output: "64KiB" });
    expect([short.stdout.tail.toString(), short.stdout.droppedBytes]).toEqual(["end", 3]);
  });

  it("without a bound 64 MiB of each stream are kept, and the rest is read and counted", async () => {
    const { kind, stdout, stderr } = await perl(
      'my $x = "x" x (1 << 20); syswrite STDOUT, $x for 1 .. 80; syswrite STDERR, $x for 1 .. 64',
    );
    const MiB = 1024 ** 2;
    expect([kind, stdout.bytes.length, stdout.takenBytes, stdout.droppedBytes]).toEqual([
      "done",
      64 * MiB,
      64 * MiB,
      16 * MiB,
    ]);
    expect([stderr.bytes.length, stderr.droppedBytes]).toEqual([64 * MiB, 0]);
  });

  it("limit: a bound of one's own may be higher, and what goes elsewhere has none", async () => {
    const line = 'my $x = "x" x (1 << 20); syswrite STDOUT, $x for 1 .. 80';
    const { stdout } = await perl(line, { output: "70MiB" });
    expect([stdout.bytes.length, stdout.droppedBytes]).toEqual([70 * 1024 ** 2, 10 * 1024 ** 2]);
    let seen = 0;
    const count = (chunk: Buffer): void => {
      seen += chunk.length;
    };
    const handedOn = await perl(line, {}, { sinks: { stdout: count, stderr: count } });
    expect([seen, handedOn.stdout.droppedBytes]).toEqual([80 * 1024 ** 2, 0]);
  });

  it("what comes in small pieces takes no more memory than it holds", () => {
    const kept = new Kept();
    const piece = Buffer.from("x");
    for (let n = 0; n < 100_000; n += 1) kept.add(piece);
    expect(kept.bytes().equals(Buffer.alloc(100_000, "x"))).toBe(true);
    expect(kept.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * 100_000);
  });

  it("below that everything is kept, to the last byte of both streams", async () => {
    const { stdout, stderr } = await perl(BOTH(3_000));
    expect([stdout.bytes.length, stdout.droppedBytes, stderr.bytes.length, stderr.droppedBytes]).toEqual([
      3_000 * 1024 + 3,
      0,
      3_000 * 1024 + 3,
      0,
    ]);
    expect([stdout.bytes.subarray(-4).toString(), stderr.bytes.subarray(-4).toString()]).toEqual([
      "oEND",
      "eEND",
    ]);
  });

  it("output goes where it is sent as it comes, a slow reader slows the program and misses nothing", async () => {
    const seen: number[] = [];
    const stdout = async (chunk: Buffer): Promise<void> => {
      if (seen.length < 20) await pause(20);
      seen.push(chunk.length);
      // The program says more only when this was taken.
      writeFileSync(join(place.ws, "taken"), "");
    };
    const outcome = await perl(
      `$| = 1; print "first"; select undef, undef, undef, 0.01 until -e "taken"; ${BOTH(2_000)}`,
      {},
      { sinks: { stdout, stderr: () => undefined } },
    );
    expect(seen.reduce((sum, length) => sum + length, 0)).toBe(5 + 2_000 * 1024 + 3);
    expect(seen[0]).toBe(5);
    expect(outcome.stdout).toMatchObject({ bytes: Buffer.alloc(0), droppedBytes: 0 });
  });

  it("a program may close its streams and go on", async () => {
    const { kind, code, stdout, stderr } = await perl(
      'print "before\\n"; close STDOUT; select undef, undef, undef, 0.3; print STDERR "after\\n"; close STDERR; select undef, undef, undef, 0.1; exit 3',
    );
    expect([kind, code, stdout.bytes.toString(), stderr.bytes.toString()]).toEqual([
      "failed",
      3,
      "before\n",
      "after\n",
    ]);
  });

  it("what the launcher says while it builds is not the program's", async () => {
    const { stderr } = await perl('print STDERR "mine"');
    expect(stderr.bytes.toString()).toBe("mine");
  });

  it("standard input is empty, unless the supervisor's own is handed on", async () => {
    const { stdout } = await perl('my @lines = <STDIN>; print scalar(@lines), -t STDIN ? "t" : "n"');
    expect(stdout.bytes.toString()).toBe("0n");
    const under = ["/bin/sh", "-c", 'printf "one\\ntwo\\n" | "$@"', "sh"];
    const argv = ["perl", "-e", "print map { uc } <STDIN>"];
    const [, none, inherited] = await place.run({
      under,
      job: { calls: [{ argv }, { argv, stdin: "inherit" }] },
    });
    expect([none, inherited]).toMatchObject([
      { kind: "ran", stdout: "" },
      { kind: "ran", stdout: "ONE\nTWO\n" },
    ]);
  });

  const keeping = [
    ["holds it open", "time.sleep(600)", {}],
    [
      "writes to it without end, to a slow reader",
      "try:\n  while True: os.write(kept[0], b'x' * 4096)\nexcept BrokenPipeError: time.sleep(600)",
      { sinks: { stdout: () => pause(10), stderr: () => pause(10) } },
    ],
  ] as const;
  for (const [what, then, options] of keeping)
    itNeeds(
      ["/usr/bin/python3"],
      `limit: a call ends though a process outside was handed its output and ${what}`,
      async () => {
        const socket = `${place.ws}/socket`;
        const keep = `import os, socket, time
s = socket.socket(socket.AF_UNIX); s.bind("${socket}"); s.listen(1); print("up", flush=True)
c, _ = s.accept(); kept = socket.recv_fds(c, 1, 4)[1]; c.send(b"x")
${then}`;
        const hand = `import socket; s = socket.socket(socket.AF_UNIX); s.connect("${socket}"); socket.send_fds(s, [b"x"], [1, 2]); s.recv(1); print("handed")`;
        const keeper = spawn("/usr/bin/python3", ["-c", keep], { stdio: ["ignore", "pipe", "inherit"] });
        try {
          await once(keeper.stdout, "data");
          await using supervisor = await place.supervisor({ sandbox: { limits: { wall: "10s" } } });
          const outcome = await supervisor
            .session({ caller: "person" })
            .call("shell", { argv: ["/usr/bin/python3", "-c", hand] }, options);
          expect(outcome).toMatchObject({ kind: "done", code: 0 });
          if (what === "holds it open")
            expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe("handed\n");
          expect(keeper.exitCode).toBeNull();
        } finally {
          keeper.kill("SIGKILL");
        }
      },
    );
});

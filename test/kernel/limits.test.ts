import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SupervisorContext, SupervisorWatch } from "../../src/call/supervisor-context.ts";
import { CofferdamError, type ProgramOutcome } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { no32Bit } from "../support/battery/abi32.ts";
import { program32 } from "../support/battery/elf.ts";
import { itUnless, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, ORDINARY } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("limits and endings");

/** Nothing changes the config of these supervisors. */
function unchanging(context: SupervisorContext): SupervisorWatch & Disposable {
  const watch: SupervisorWatch & Disposable = {
    shared: context,
    look: async () => shared,
    isCurrent: () => true,
    onChange: () => watch,
    [Symbol.dispose]: () => undefined,
  };
  const shared = { ...context, watch };
  return { ...watch, shared };
}

describe.skipIf(unusable !== null)("inside", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  /** One call under limits, by a supervisor of its own. */
  async function call(
    argv: readonly [string, ...string[]],
    limits: Readonly<Record<string, unknown>> = {},
    signal?: AbortSignal,
  ): Promise<ProgramOutcome> {
    await using supervisor = await place.supervisor({ sandbox: { limits } });
    return await supervisor
      .session({ caller: "person" })
      .call("shell", { argv: [...argv] }, signal === undefined ? {} : { signal });
  }

  const sh = (line: string, limits?: Readonly<Record<string, unknown>>): Promise<ProgramOutcome> =>
    call(["sh", "-c", line], limits);
  const perl = (line: string, limits?: Readonly<Record<string, unknown>>): Promise<ProgramOutcome> =>
    call(["perl", "-e", line], limits);

  describe("endings", () => {
    it.each([
      ["status 0", "exit 0", "done", 0],
      ["a status of its own", "exit 7", "failed", 7],
      ["the highest status", "exit 255", "failed", 255],
      ["a command that the shell does not find", "no-such-command", "failed", 127],
      ["a command that the shell cannot run", "/etc/passwd", "failed", 126],
      ["SIGTERM", "kill -TERM $$", "failed", 143],
      ["SIGKILL", "kill -KILL $$", "failed", 137],
      ["SIGSEGV", "kill -SEGV $$", "failed", 139],
      ["SIGPIPE", "kill -PIPE $$", "failed", 141],
    ] as const)("%s is told as it is", async (_, line, kind, code) => {
      expect(await sh(line)).toMatchObject({ kind, code });
      expect(place.plainly(`sh -c '${line}'`).status).toBe(code);
    });

    it("a program that is not there is told apart from one that failed, and nothing runs", async () => {
      expect(await call(["no-such-program"])).toMatchObject({ kind: "not-found", code: 127 });
      expect(await call([`${place.ws}/no-such-program`])).toMatchObject({ kind: "not-found", code: 127 });
      place.file("ws/plain", "#!/bin/sh\n", 0o644);
      expect(await call([`${place.ws}/plain`])).toMatchObject({ kind: "not-found", code: 127 });
      place.file("ws/plain", "#!/bin/sh\nexit 4\n", 0o755);
      expect(await call([`${place.ws}/plain`])).toMatchObject({ kind: "failed", code: 4 });
    });

    it("a script whose interpreter is not there has the shell's status, and nothing runs", async () => {
      place.file("ws/script", "#!/no/such/interpreter\n", 0o755);
      expect(await call([`${place.ws}/script`])).toMatchObject({ kind: "not-found", code: 127 });
    });

    itUnless(no32Bit, "sys: a program of another ABI of the machine is killed by the filter", async () => {
      place.file("ws/program32", program32(), 0o755);
      expect(await call([`${place.ws}/program32`])).toMatchObject({ kind: "failed", code: 128 + 31 });
    });
  });

  describe("time", () => {
    it("limit: a call may give a program less time, never more", async () => {
      await using supervisor = await place.supervisor({ sandbox: { limits: { wall: "1s" } } });
      await using session = supervisor.session({ caller: "person" });
      const sleep = (seconds: string, timeoutMs: number) =>
        session.call("shell", { argv: ["sleep", seconds] }, { timeoutMs });
      expect(await sleep("20", 100)).toMatchObject({ kind: "timed-out" });
      expect(await sleep("20", 60_000)).toMatchObject({ kind: "timed-out" });
      expect(await sleep("0.05", 900)).toMatchObject({ kind: "done" });
      await expect(session.call("list_dir", {}, { timeoutMs: 100 })).rejects.toMatchObject({ code: "USAGE" });
    });

    it("limit: at the wall time a program is asked to end, and what it said until then is kept", async () => {
      const outcome = await sh("trap 'echo bye; exit 9' TERM; echo hello; while :; do sleep 0.05; done", {
        wall: "1s",
      });
      expect(outcome).toMatchObject({ kind: "timed-out", code: 9 });
      expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe("hello\nbye\n");
    });

    it("limit: a program that does not listen is ended a second later; one that is quick is not touched", async () => {
      const deaf = await sh("trap '' TERM; echo hello; while :; do sleep 0.05; done", { wall: "1s" });
      expect(deaf).toMatchObject({ kind: "timed-out", code: 137 });
      expect(await sh("sleep 0.1", { wall: "10s" })).toMatchObject({ kind: "done" });
    });

    it("a call that is cancelled before it starts runs nothing; one that is cancelled later ends", async () => {
      const early = call(["sh", "-c", `: > ${place.ws}/ran`], {}, AbortSignal.abort());
      await expect(early).rejects.toThrow(CofferdamError);
      expect(existsSync(join(place.ws, "ran"))).toBe(false);
      const stop = new AbortController();
      const line = `trap 'exit 5' TERM; : > ${place.ws}/up; while :; do sleep 0.05; done`;
      const late = call(["sh", "-c", line], {}, stop.signal);
      await vi.waitUntil(() => existsSync(join(place.ws, "up")), { timeout: 60_000 });
      stop.abort();
      expect(await late).toMatchObject({ kind: "failed", code: 5 });
    });

    /** `processor-time.slow` has those that do not want to end, and other people. */
    it("limit: processor time is bounded, and told where it ran out", async () => {
      expect(await perl("1 while 1", { cpu: "1s", wall: "20s" })).toMatchObject({
        kind: "failed",
        code: 128 + constants.signals.SIGXCPU,
        receipt: { limitsReached: ["cpuSeconds"] },
      });
      expect(await perl("1 for 1 .. 1000", { cpu: "1s" })).toMatchObject({
        kind: "done",
        receipt: { limitsReached: [] },
      });
    });
  });

  describe("sizes and counts", () => {
    it("limit: no file grows beyond `file_size`", async () => {
      const write = (size: string): string => `head -c ${size} /dev/zero > ${place.ws}/big`;
      expect(await sh(`exec ${write("2M").replace(" >", " >")}`, { file_size: "1MiB" })).toMatchObject({
        kind: "failed",
        code: 128 + 25,
      });
      expect(await sh(write("512K"), { file_size: "1MiB" })).toMatchObject({ kind: "done" });
    });

    it("limit: what is private to a call holds as much as it is said to, and no more", async () => {
      const fill = (place: string, size: string): string =>
        `head -c ${size} /dev/zero > ${place}/f 2>/dev/null && printf "took " || printf "full "; rm ${place}/f`;
      const lines = [
        ...["/tmp", "/var/tmp", "$HOME", "/dev/shm"].flatMap((at) => [fill(at, "3M"), fill(at, "5M")]),
        ...[fill("/run", "512K"), fill("/run", "2M")],
      ];
      const outcome = await sh(lines.join("; "), { scratch: "4MiB" });
      expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe("took full ".repeat(5));
      const larger = await sh(`${fill("/tmp", "5M")}; ${fill("/dev/shm", "5M")}`, { scratch: "8MiB" });
      expect("stdout" in larger && larger.stdout.bytes.toString()).toBe("took took ");
    });

    it("limit: what scratch space or shared memory is too full for is told, with the limit to raise", async () => {
      const fill = (at: string, size: string): string => `head -c ${size} /dev/zero > ${at}/f`;
      const full = await sh(fill("/tmp", "5M"), { scratch: "4MiB" });
      expect(full).toMatchObject({
        kind: "failed",
        denials: [
          {
            operation: "write",
            target: "/tmp",
            certainty: "certain",
            because: "scratch space (`/tmp` and HOME) was full: 4MiB",
            remedy: "raise `scratch` under `sandbox.limits`, or the lower limit of a profile",
          },
        ],
      });
      expect(await sh(fill("/tmp", "5M"), { scratch: "8MiB" })).toMatchObject({ kind: "done" });
      // The file grows as it is mapped, and the kernel has no other way to say that there is no space for it.
      const touch = (size: string): string =>
        `perl -e 'open my $f, "+>", "/dev/shm/m" or die; kill "BUS", $$ unless print $f "x" x ${size} and close $f'`;
      const small = { shared_memory: "1MiB" };
      expect(await sh(`exec ${touch("2**21")}`, small)).toMatchObject({
        kind: "failed",
        code: 135,
        denials: [
          {
            target: "/dev/shm",
            certainty: "certain",
            because: "shared memory (`/dev/shm`) was full: 1MiB",
            remedy: "raise `shared_memory` under `sandbox.limits`, or the lower limit of a profile",
          },
        ],
      });
      expect(await sh(`exec ${touch("2**21")}`, { shared_memory: "4MiB" })).toMatchObject({ kind: "done" });
      // A program that fails for another reason is told nothing of it, and one that left room perhaps.
      const other = await sh("exit 3", small);
      expect("denials" in other).toBe(false);
      expect(await sh("kill -BUS $$", small)).toMatchObject({ denials: [{ certainty: "likely" }] });
      // Shared memory never holds more than a limit on scratch space says.
      const both = await sh(fill("/dev/shm", "3M"), { scratch: "2MiB", shared_memory: "8MiB" });
      expect(both).toMatchObject({
        denials: [{ remedy: expect.stringMatching(/^raise `shared_memory` and `scratch` under/) }],
      });
    });

    it("limit: a file that is too large, or too many open ones, are told with the limit to raise", async () => {
      const write = (size: string): string => `head -c ${size} /dev/zero > ${place.ws}/big`;
      expect(await sh(write("20000000"), { file_size: "10MiB" })).toMatchObject({
        kind: "failed",
        code: 128 + constants.signals.SIGXFSZ,
        denials: [
          {
            target: "a file of more than 10MiB",
            remedy: "raise `file_size` under `sandbox.limits`, or the lower limit of a profile",
          },
        ],
      });
      expect(await sh(write("20000000"), { file_size: "20MiB" })).toMatchObject({ kind: "done" });
      const open = `for (1 .. 64) { open my $f, "<", "/dev/null" or die "$!\\n"; push @f, $f }`;
      expect(await perl(open, { open_files: 32 })).toMatchObject({
        kind: "failed",
        denials: [
          {
            target: "more than 32 open files in one process",
            remedy: "raise `open_files` under `sandbox.limits`, or the lower limit of a profile",
          },
        ],
      });
      expect(await perl(open, { open_files: 128 })).toMatchObject({ kind: "done" });
      // The same end without such a limit has another reason.
      expect("denials" in (await sh("kill -XFSZ $$", { open_files: 128 }))).toBe(false);
    });

    it("limit: a crash writes no memory anywhere, and starts nothing on the host", async () => {
      await using usual = await place.supervisor();
      const { sandbox } = usual.shared;
      if (sandbox.kind !== "available") throw sandbox.error;
      const { machine } = sandbox;
      // As on a machine whose kernel hands crashes to a program; what is the machine's here stays as it is.
      const coreDumps = { kind: "handler", limiter: knownPath("/usr/bin/prlimit") } as const;
      const facts = { ...machine.facts, coreDumps };
      const handled = new Supervisor(
        unchanging({ ...usual.shared, sandbox: { ...sandbox, machine: { ...machine, facts } } }),
      );
      const limit = async (supervisor: Supervisor): Promise<string | undefined> => {
        const look = { argv: ["sh", "-c", "cat /proc/self/limits; kill -SEGV $$"] } as const;
        const outcome = await supervisor.session({ caller: "person" }).call("shell", look);
        expect(outcome).toMatchObject({ kind: "failed", code: 139 });
        const said = "stdout" in outcome ? outcome.stdout.bytes.toString() : "";
        return /^Max core file size +(\d+ +\d+)/m.exec(said)?.[1]?.replaceAll(/ +/g, " ");
      };
      // Of one byte alone the kernel starts no program either (fs/coredump.c).
      expect([await limit(usual), await limit(handled)]).toEqual(["0 0", "1 1"]);
    });

    it("limit: no process opens more than `open_files`", async () => {
      const open = (count: number): string =>
        `my @f; for (1 .. ${count}) { open my $f, "<", "/dev/null" or exit 3; push @f, $f }`;
      expect(await perl(open(64), { open_files: 32 })).toMatchObject({ kind: "failed", code: 3 });
      expect(await perl(open(16), { open_files: 32 })).toMatchObject({ kind: "done" });
    });

    it("limit: as an ordinary user the number of processes is bounded, whatever else the user runs", async () => {
      using theirs = new Place(ORDINARY);
      const fork = (count: number): string =>
        `my @c; for (1 .. ${count}) { my $c = fork; if (!defined $c) { kill 9, @c; exit 3 } if (!$c) { sleep 5; exit } push @c, $c } kill 9, @c`;
      const calls = [fork(60), fork(5)].map((line) => ({ argv: ["perl", "-e", line] }));
      const others =
        'for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5; do sleep 60 >/dev/null 2>&1 & others="$others $!"; done; done';
      const under = ["/bin/sh", "-c", `${others}; "$@"; status=$?; kill $others; exit $status`, "sh"];
      const [, many, few] = await theirs.run({
        settings: { sandbox: { limits: { processes: 30 } } },
        under,
        job: { calls },
      });
      expect([many, few]).toMatchObject([
        { kind: "ran", code: 3 },
        { kind: "ran", code: 0 },
      ]);
    });

    it("limit: words that are more than this machine starts a program with are refused, and come by a file", async () => {
      using theirs = new Place(ORDINARY);
      // A program may be started with a quarter of its stack (execve(2)).
      const under = ["/bin/sh", "-c", 'ulimit -s 1024; exec "$@"', "sh"];
      const words = Array.from({ length: 3 }, () => "x".repeat(90_000));
      theirs.file("ws/words", words.join(" "));
      const calls = [{ argv: ["echo", ...words] }, { argv: ["wc", "-c", "words"] }];
      expect(await theirs.run({ under, job: { calls } })).toMatchObject([
        { kind: "made" },
        { kind: "threw", code: "USAGE", message: "the arguments and variables of the call are too long" },
        { kind: "ran", code: 0, stdout: "270002 words\n" },
      ]);
    });

    it("limit: one that this machine does not let us set runs nothing", async () => {
      using theirs = new Place(ORDINARY);
      const under = ["/bin/sh", "-c", 'ulimit -n 256; exec "$@"', "sh"];
      const calls = [{ argv: ["sh", "-c", `: > ${theirs.ws}/ran`] }];
      const tooHigh = await theirs.run({
        settings: { sandbox: { limits: { open_files: 512 } } },
        under,
        job: { calls },
      });
      expect(tooHigh).toMatchObject([
        { kind: "made" },
        { kind: "threw", code: "SANDBOX_UNAVAILABLE", message: "a limit could not be set" },
      ]);
      expect(existsSync(join(theirs.ws, "ran"))).toBe(false);
      const within = await theirs.run({
        settings: { sandbox: { limits: { open_files: 128 } } },
        under,
        job: { calls },
      });
      expect(within).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
    });
  });
});

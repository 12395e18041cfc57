import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chownSync, readdirSync, readlinkSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CallOptions, CofferdamError, type ProgramOutcome } from "../../src/index.ts";
import { itNeeds, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, ORDINARY, PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { leftAfter, processesWith } from "../support/battery/processes.ts";

sandboxMustWork("streams");

const PYTHON = "/usr/bin/python3";

/** What the three streams are, and every socket among the descriptors of the program and of the first process. */
const KINDS = `
  my @kinds = map { -p $_ ? "pipe" : -S $_ ? "socket" : -c $_ ? "device" : "other" } *STDIN, *STDOUT, *STDERR;
  my @sockets = grep { (readlink($_) // "") =~ /^socket:/ } glob "/proc/self/fd/* /proc/1/fd/*";
  print "@kinds\\n@sockets\\n"`;

/** Sends a descriptor over a stream, binds a name of the host's network on it, asks who is at its other end. */
const AS_SOCKET = `
import errno, os, socket, struct
def tried(act):
    try: act(); return "done"
    except OSError as error: return errno.errorcode[error.errno]
def at(fd): return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=os.dup(fd))
def raw(fd, level, option):
    s = socket.socket(); os.dup2(fd, s.fileno()); s.getsockopt(level, option, 12)
print(*[tried(lambda: socket.send_fds(at(fd), [b""], [0])) for fd in (1, 2)],
      tried(lambda: raw(1, socket.SOL_SOCKET, socket.SO_PEERCRED)),
      tried(lambda: at(2).bind("\\0cofferdam-test")))`;

const REOPEN = "echo one > /dev/stdout && echo two | tee /dev/stderr";

/** The person's own tree, and where the tests are root's, root with tools that run as somebody else. */
const WHO: readonly (readonly [name: string, person: Person, owner: Person])[] = [
  ...PEOPLE.map((person) => [person.name, person, person] as const),
  ...(notRoot === null ? [["root, for somebody else's tree", CALLER, ORDINARY] as const] : []),
];

describe.skipIf(unusable !== null).each(WHO)("the streams of a program, as %s", (_, person, owner) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
    if (owner !== person) chownSync(place.ws, owner.uid, owner.gid);
  });
  afterEach(() => place[Symbol.dispose]());

  /** What one call prints to both streams. */
  async function said(
    argv: readonly string[],
    more: { readonly stdin?: "inherit"; readonly inherits?: ReadonlyMap<number, number> } = {},
  ): Promise<readonly [stdout: string, stderr: string]> {
    const { stdin = "none", inherits = new Map<number, number>() } = more;
    const under = ["/bin/sh", "-c", 'printf in | "$@"', "sh"];
    const [, reply] = await place.run({ under, inherits, job: { calls: [{ argv: [...argv], stdin }] } });
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(reply));
    expect(reply.runAs).toBe(owner.uid);
    return [reply.stdout, reply.stderr];
  }

  it("fd: all are pipes, and no descriptor inside is a socket; what Node calls a pipe is one", async () => {
    expect(await said(["perl", "-e", KINDS], { stdin: "inherit" })).toEqual(["pipe pipe pipe\n\n", ""]);
    expect(await said(["perl", "-e", KINDS])).toEqual(["device pipe pipe\n\n", ""]);
    const twin = spawnSync("/usr/bin/perl", ["-e", KINDS], { input: "in", encoding: "utf8" });
    expect(twin.stdout).toMatch(/^socket socket socket\n.*\/proc\/self\/fd\/1 /);
  });

  it("fd: a descriptor that would leak is covered by a pipe that is at its end", async () => {
    const line = `${KINDS}; print -p "/proc/self/fd/40" ? "pipe" : "none"; open my $f, "<&=", 40; print sysread($f, my $x, 1)`;
    expect(await said(["perl", "-e", line], { inherits: new Map([[40, 2]]) })).toEqual([
      "device pipe pipe\n\npipe0",
      "",
    ]);
  });

  itNeeds([PYTHON], "fd: none can be used as a socket; a socket can", async () => {
    expect(await said([PYTHON, "-c", AS_SOCKET])).toEqual(["ENOTSOCK ENOTSOCK ENOTSOCK ENOTSOCK\n", ""]);
    const twin = spawnSync(PYTHON, ["-c", AS_SOCKET], { encoding: "utf8" });
    expect(twin.stdout).toBe("done done done done\n");
  });

  it("they can be opened anew, which sockets can't", async () => {
    expect(await said(["sh", "-c", REOPEN])).toEqual(["one\ntwo\n", "two\n"]);
    const twin = spawnSync("/bin/sh", ["-c", REOPEN], { encoding: "utf8" });
    expect([twin.status === 0, twin.stdout]).toEqual([false, ""]);
  });

  it("fd: their names tell nothing of the host", async () => {
    const [out] = await said(["sh", "-c", "readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2"], {
      stdin: "inherit",
    });
    expect(out).toMatch(/^(pipe:\[\d+\]\n){3}$/);
  });
});

describe.skipIf(unusable !== null)("what goes through the streams", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  async function call(
    argv: readonly [string, ...string[]],
    options: CallOptions = {},
    limits: Readonly<Record<string, unknown>> = {},
  ): Promise<Extract<ProgramOutcome, { stdout: unknown }>> {
    await using supervisor = await place.supervisor({ sandbox: { limits } });
    const outcome = await supervisor
      .session({ caller: "person" })
      .call("shell", { argv: [...argv] }, options);
    if (!("stdout" in outcome)) throw new Error(JSON.stringify(outcome));
    return outcome;
  }

  const MIB10 = 10 * 1024 ** 2;

  it("10 MiB on each of two streams by turns arrive whole", async () => {
    const line = `for my $n (1 .. ${MIB10 / 1024}) { syswrite STDOUT, sprintf "%01024d", $n; syswrite STDERR, sprintf "%1024d", $n }`;
    const { kind, stdout, stderr } = await call(["perl", "-e", line]);
    const numbers = Array.from({ length: MIB10 / 1024 }, (_, index) => String(index + 1));
    expect([kind, stdout.droppedBytes, stderr.droppedBytes]).toEqual(["done", 0, 0]);
    expect(stdout.bytes.toString() === numbers.map((n) => n.padStart(1024, "0")).join("")).toBe(true);
    expect(stderr.bytes.toString() === numbers.map((n) => n.padStart(1024)).join("")).toBe(true);
  });

  it("10 MiB of input arrive whole, and their end is seen", async () => {
    const bytes = Buffer.alloc(MIB10, "some input\n");
    const { stdout } = await call(["sha256sum"], { stdin: Readable.from(chunksOf(bytes)) });
    expect(stdout.bytes.toString()).toBe(`${createHash("sha256").update(bytes).digest("hex")}  -\n`);
  });

  it("a program may end, or close its input, before it has read all of it", async () => {
    const bytes = Buffer.alloc(MIB10, "some input\n");
    const ending = await call(["head", "-c", "4"], { stdin: Readable.from(chunksOf(bytes)) });
    expect([ending.kind, ending.stdout.bytes.toString()]).toEqual(["done", "some"]);
    const line = 'close STDIN; select undef, undef, undef, 0.3; print "on"';
    const closing = await call(["perl", "-e", line], { stdin: Readable.from(chunksOf(bytes)) });
    expect([closing.kind, closing.stdout.bytes.toString()]).toEqual(["done", "on"]);
    const endless = await call(["sh", "-c", "exit 3"], { stdin: new PassThrough() });
    expect([endless.kind, endless.code]).toEqual(["failed", 3]);
  });

  it("a child in the background that holds the output ends with the program", async () => {
    const { kind, stdout } = await call(["sh", "-c", "sleep 600 & echo started"]);
    expect([kind, stdout.bytes.toString()]).toEqual(["done", "started\n"]);
  });

  describe("to a slow reader", () => {
    const word = randomBytes(12).toString("hex");
    const never = (): Promise<void> => new Promise(() => undefined);

    it("the wall time is the program's: one that ended in time did, however long the reader takes", async () => {
      const seen: number[] = [];
      const stdout = async (chunk: Buffer): Promise<void> => {
        await pause(800);
        seen.push(chunk.length);
      };
      const options = { sinks: { stdout, stderr: () => undefined } };
      const outcome = await call(["head", "-c", "70000", "/dev/zero"], options, { wall: "1500ms" });
      expect(outcome).toMatchObject({
        kind: "done",
        code: 0,
        stdout: { takenBytes: 70_000, droppedBytes: 0 },
      });
      expect(seen.reduce((sum, length) => sum + length, 0)).toBe(70_000);
      expect(await call(["sleep", "60"], {}, { wall: "500ms" })).toMatchObject({ kind: "timed-out" });
    });

    it("a program that nobody reads is ended at the wall time; the return waits until the call is cancelled", async () => {
      const controller = new AbortController();
      const options = { signal: controller.signal, sinks: { stdout: never, stderr: () => undefined } };
      const running = call(["perl", "-e", 'print "x" x 1024 while 1', word], options, { wall: "1s" });
      await vi.waitUntil(() => processesWith(word).length > 0, { timeout: 5_000, interval: 5 });
      expect(await leftAfter(3_000, word)).toEqual([]);
      expect(await Promise.race([running, pause(500)])).toBeUndefined();
      controller.abort();
      const { kind, stdout } = await running;
      expect([kind, stdout.takenBytes > 0, stdout.droppedBytes > 0]).toEqual(["timed-out", true, true]);
    });

    it("a call that is cancelled after its program ended returns, with what the program did and what nobody took", async () => {
      const controller = new AbortController();
      const begun = Promise.withResolvers<void>();
      const take = (): Promise<void> => {
        begun.resolve();
        return never();
      };
      const options = { signal: controller.signal, sinks: { stdout: take, stderr: () => undefined } };
      const running = call(["perl", "-e", 'print "x" x 100000', word], options);
      await Promise.race([begun.promise, running]);
      expect(await leftAfter(10_000, word)).toEqual([]);
      // It is noticed a moment later.
      await pause(200);
      controller.abort();
      const { kind, stdout } = await running;
      expect([kind, stdout.takenBytes + stdout.droppedBytes]).toEqual(["done", 100_000]);
      expect(stdout.droppedBytes).toBeGreaterThan(0);
    });

    it("a cancelled program's last words still reach a reader who takes them", async () => {
      const seen: string[] = [];
      const controller = new AbortController();
      const take = async (chunk: Buffer): Promise<void> => {
        await pause(100);
        seen.push(chunk.toString());
        controller.abort();
      };
      const line = "trap 'echo bye; exit 5' TERM; echo hello; while :; do sleep 0.05; done";
      const options = { signal: controller.signal, sinks: { stdout: take, stderr: take } };
      expect(await call(["sh", "-c", line], options)).toMatchObject({ kind: "failed", code: 5 });
      expect(seen.join("")).toBe("hello\nbye\n");
    });
  });

  it("more than 100 calls, however they end, leave no descriptor open", async () => {
    await call(["true"]);
    // The last shell that made pipes may still be ending.
    await pause(1_000);
    const before = openOnes();
    const ends = new Map<string, number>();
    {
      await using supervisor = await place.supervisor({ sandbox: { limits: { wall: "500ms" } } });
      const session = supervisor.session({ caller: "person" });
      const kinds: readonly (() => Promise<ProgramOutcome>)[] = [
        () => session.call("shell", { argv: ["sh", "-c", "echo x; echo y >&2"] }),
        () => session.call("shell", { argv: ["cat"] }, { stdin: Readable.from(["text"]) }),
        () =>
          session.call("shell", { argv: ["sh", "-c", "sleep 60 & exit 4"] }, { stdin: new PassThrough() }),
        () => session.call("shell", { argv: ["sleep", "60"] }),
        () =>
          session.call(
            "shell",
            { argv: ["sleep", "60"] },
            { signal: AbortSignal.timeout(Math.floor(Math.random() * 60)) },
          ),
        () => session.call("shell", { argv: ["true"] }, { signal: AbortSignal.abort() }),
        () => session.call("shell", { argv: ["echo", "x".repeat(131_072)] }),
        () => session.call("shell", { argv: ["echo", "x"] }, { sinks: { stdout: broken, stderr: broken } }),
      ];
      for (let round = 0; round < 8; round += 1) {
        const tried = [...kinds, ...kinds].map((start) =>
          start().then((outcome) => ("error" in outcome ? codeOf(outcome.error) : outcome.kind), codeOf),
        );
        for (const end of await Promise.all(tried)) ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    }
    expect([...ends.keys()].toSorted()).toEqual([
      "Error: the reader broke",
      "SANDBOX_UNAVAILABLE",
      "USAGE",
      "done",
      "failed",
      "timed-out",
    ]);
    await vi.waitFor(() => expect(openOnes()).toEqual(before), { timeout: 5_000 });
  });
});

/** What this process has open, by name. */
function openOnes(): readonly string[] {
  const names = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "the folder that is being read";
    }
  });
  return names.toSorted();
}

function codeOf(error: unknown): string {
  return error instanceof CofferdamError ? error.code : String(error);
}

function broken(): never {
  throw new Error("the reader broke");
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

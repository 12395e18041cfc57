import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readlinkSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MountPlan } from "../../src/backend/plan.ts";
import { untilBuilt } from "../../src/host/launch/building.ts";
import { PrewarmedLauncher } from "../../src/host/launch/prewarmed-launcher.ts";
import { lookAtSurroundings } from "../../src/host/launch/surroundings.ts";
import { type AbsolutePath, knownPath } from "../../src/profile/path.ts";
import type { Session } from "../../src/session/session.ts";
import { childrenOf, untilGone } from "../support/battery/descendants.ts";
import { LINKS_ARE_HELD, linkProtected, PROJECTS } from "../support/battery/linked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, checkoutFor, ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { end } from "../support/battery/processes.ts";

sandboxMustWork("launchers that are started ahead");

/** The launchers that wait for a process, by pid: they have no child, and nothing of theirs is different from the host's. */
function waitingFor(pid: number | undefined): readonly number[] {
  return childrenOf(pid ?? -1).filter(
    (one) =>
      readFileSync(`/proc/${one}/cmdline`, "latin1").includes("\0--args\0") && childrenOf(one).length === 0,
  );
}

/** The one that waits, as soon as it does: one that builds has a child a moment later. */
async function untilOneWaits(pid: number | undefined): Promise<number> {
  let before: readonly number[] = [];
  return vi.waitFor(
    () => {
      const last = before;
      before = waitingFor(pid);
      expect([before.length, before]).toEqual([1, last]);
      return before[0] ?? -1;
    },
    { timeout: 20_000, interval: 100 },
  );
}

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  const say = (word: string) => ({ argv: ["sh", "-c", `echo ${word}`] as [string, ...string[]] });
  /** Long enough to be looked at before it. */
  const LATER_MS = 800;

  it("proc: after two calls alike a launcher waits, which has built nothing and knows of no program; it is the third's", async () => {
    const last = { argv: ["sh", "-c", "echo three; sleep 1"], afterMs: LATER_MS };
    const child = place.start({ job: { calls: [say("one"), say("two"), last] } });
    const said: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => said.push(chunk));
    const closed = once(child, "close");
    const waiting = await untilOneWaits(child.pid);
    const words = readFileSync(`/proc/${waiting}/cmdline`, "latin1");
    expect([words.includes("echo"), words.includes("cofferdam_words")]).toEqual([false, true]);
    for (const kind of ["mnt", "pid", "net", "user"])
      expect(readlinkSync(`/proc/${waiting}/ns/${kind}`)).toBe(readlinkSync(`/proc/${child.pid}/ns/${kind}`));
    await vi.waitFor(() => expect(childrenOf(waiting)).toHaveLength(1), { timeout: 5_000, interval: 5 });
    await closed;
    const lines = Buffer.concat(said).toString().trim().split("\n");
    const told = lines.slice(1).map((line) => /"stdout":"(\w+)/.exec(line)?.[1]);
    expect(told).toEqual(["one", "two", "three"]);
    await untilGone([waiting]);
  });

  it("proc: one that holds symlinks is used as well, and holds those that are there by then", async () => {
    linkProtected(place);
    const held = { argv: ["sh", "-c", LINKS_ARE_HELD] as [string, ...string[]] };
    const last = { argv: ["sh", "-c", `${LINKS_ARE_HELD} && sleep 1`], afterMs: LATER_MS };
    const child = place.start({ job: { calls: [held, held, last] } });
    const said: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => said.push(chunk));
    const closed = once(child, "close");
    const waiting = await untilOneWaits(child.pid);
    await vi.waitFor(() => expect(childrenOf(waiting)).toHaveLength(1), { timeout: 5_000, interval: 5 });
    await closed;
    const codes = [
      ...Buffer.concat(said)
        .toString()
        .matchAll(/"code":(\d+)/g),
    ].map(([, code]) => code);
    expect(codes).toEqual(["0", "0", "0"]);
    await untilGone([waiting]);
  });

  it("proc: none waits after one call, nor after calls that are not alike", async () => {
    const other = { argv: ["cat"], stdin: "inherit" as const };
    const child = place.start({
      job: { calls: [say("one"), other, say("two"), other, { ...say("three"), afterMs: LATER_MS }] },
    });
    const closed = once(child, "close");
    let lines = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      lines += chunk.toString().split("\n").length - 1;
    });
    await vi.waitFor(() => expect(lines).toBe(5), { timeout: 60_000 });
    await pause(300);
    expect(waitingFor(child.pid)).toEqual([]);
    expect(await closed).toEqual([0, null]);
  });

  it.each(PROJECTS)(
    "proc: in $what it ends with its supervisor, at once and having run nothing, also where that is killed or leaves it",
    async ({ prepare }) => {
      prepare(place);
      const before = place.plainly("find .").stdout;
      for (const how of ["SIGKILL", "SIGTERM", "left", "over"] as const) {
        const later = { ...say("x"), afterMs: how === "left" || how === "over" ? LATER_MS : 60_000 };
        const calls = [say("one"), say("two"), later, { ...later }];
        const child = place.start({ job: { calls, isLeft: how === "left" } });
        const closed = once(child, "close");
        const waiting = await untilOneWaits(child.pid);
        if (how === "SIGKILL" || how === "SIGTERM") child.kill(how);
        await closed;
        await untilGone([waiting]);
      }
      expect(place.plainly("find .").stdout).toBe(before);
    },
  );
});

describe.skipIf(unusable !== null)("whoever starts it", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
  });
  afterEach(() => place[Symbol.dispose]());

  /** What a line says. */
  async function run(session: Session, line: string): Promise<string> {
    const outcome = await session.call("shell", { argv: ["sh", "-c", line] });
    return "stdout" in outcome ? outcome.stdout.bytes.toString() : JSON.stringify(outcome);
  }

  /** Two calls, after which one waits. */
  async function untilReady(session: Session): Promise<number> {
    await run(session, ":");
    await run(session, ":");
    return untilOneWaits(process.pid);
  }

  it("proc: what this process became meanwhile is what the next call has", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const before = process.umask(0o022);
    try {
      const first = await untilReady(session);
      await run(session, "echo >one");
      const second = await untilOneWaits(process.pid);
      process.umask(0o077);
      await run(session, "echo >two");
      await untilGone([first, second]);
    } finally {
      process.umask(before);
    }
    const modes = ["one", "two"].map((name) => statSync(join(place.ws, name)).mode & 0o777);
    expect(modes).toEqual([0o644, 0o600]);
  });

  it("limit: nor has it the limits that this process had before", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const limit = (soft: string): void =>
      void spawnSync("/usr/bin/prlimit", ["--pid", String(process.pid), `--stack=${soft}:`]);
    const before = /Max stack size\s+(\w+)/.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? "";
    await untilReady(session);
    limit("4194304");
    try {
      expect(await run(session, "ulimit -s")).toBe("4096\n");
    } finally {
      limit(before);
    }
  });

  it("proc: nor is one used that somebody stopped", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const waiting = await untilReady(session);
    process.kill(waiting, "SIGSTOP");
    await vi.waitFor(() => expect(readFileSync(`/proc/${waiting}/stat`, "latin1")).toContain(") T "), 20_000);
    expect(await run(session, "echo on")).toBe("on\n");
    await untilGone([waiting]);
  });

  it("proc: one that somebody ended is not used, nor is one that does not end kept", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const waiting = await untilReady(session);
    end([waiting]);
    await untilGone([waiting]);
    expect(await run(session, "echo on")).toBe("on\n");
    await untilOneWaits(process.pid);
    await supervisor[Symbol.asyncDispose]();
    expect(waitingFor(process.pid)).toEqual([]);
  });

  it("proc: it waits for one session's calls and is another's", async () => {
    await using supervisor = await place.supervisor();
    const waiting = await untilReady(supervisor.session({ caller: "person" }));
    const session = supervisor.session({ caller: "person" });
    const parents = run(session, "sleep 0.5; echo on");
    await vi.waitFor(() => expect(childrenOf(waiting)).toHaveLength(1), { timeout: 2_000, interval: 5 });
    expect(await parents).toBe("on\n");
  });

  it("proc: of calls at once one has it, and the others their own; each its own words", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    await untilReady(session);
    const words = Array.from({ length: 6 }, (_, at) => `word ${at} "$(id)"`);
    const said = await Promise.all(
      words.map(async (word) => {
        const outcome = await session.call("shell", { argv: ["printf", "%s", word] });
        return "stdout" in outcome ? outcome.stdout.bytes.toString() : outcome.kind;
      }),
    );
    expect(said).toEqual(words);
  });

  it("proc: it is there for calls that come at once, too", async () => {
    await using supervisor = await place.supervisor();
    const session = supervisor.session({ caller: "person" });
    const { take } = PrewarmedLauncher.prototype;
    const taken: boolean[] = [];
    // On a slow machine as well they come at once: the call before is over only now.
    const spied = vi.spyOn(PrewarmedLauncher.prototype, "take").mockImplementation(function (
      this: PrewarmedLauncher,
      ...how
    ) {
      this.rest();
      const launched = take.apply(this, how);
      taken.push(launched !== null);
      return launched;
    });
    // Each runs until the next one's is there.
    for (let call = 0; call < 8; call += 1) await run(session, "sleep 0.3");
    spied.mockRestore();
    expect(taken.slice(0, 2)).toEqual([false, false]);
    expect(taken.filter((one) => one).length).toBeGreaterThan(3);
  });

  it("fs.residue: a start that waits while a sandbox is built does not wait for it", async () => {
    await using supervisor = await place.supervisor();
    const waiting = await untilReady(supervisor.session({ caller: "person" }));
    // It waits two seconds at most, by this clock: one that stands makes that for ever.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    await untilBuilt();
    clock.mockRestore();
    expect(waitingFor(process.pid)).toEqual([waiting]);
    // Nor does another user's.
    const { node, folder } = checkoutFor(ORDINARY);
    const script = `const { untilBuilt } = await import("${folder}/dist/host/launch/building.js"); performance.now = () => 0;
      await untilBuilt(); console.log(true)`;
    const asked = spawnSync(node, ["--input-type=module", "-e", script], {
      ...ORDINARY.runAs,
      cwd: "/",
      env: {},
    });
    expect(String(asked.stdout)).toBe("true\n");
  });

  it("where calls come at once, it is started while the program of one runs, and not only in a pause", async () => {
    using surroundings = await lookAtSurroundings(knownPath("/bin/sh"));
    const plan = planWith(knownPath(place.folder("ws/handed")));
    const how = { hasStdin: false, runAs: null, cgroups: null, startedBy: null, surroundings };
    await using ahead = new PrewarmedLauncher();
    // At once: the clock of this process stands.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    ahead.prepare(plan, how);
    ahead.rest();
    expect(ahead.take(plan, how)).toBeNull();
    clock.mockRestore();
    ahead.prepare(plan, how);
    const waiting = await untilOneWaits(process.pid);
    await using taken = ahead.take(plan, how);
    expect(taken?.child.pid).toBe(waiting);
    // This one did not: only when it is over there is a pause for it.
    ahead.prepare(plan, how);
    await pause(300);
    expect(waitingFor(process.pid)).toEqual([waiting]);
    ahead.rest();
    await vi.waitFor(() => expect(waitingFor(process.pid)).toHaveLength(2), { timeout: 5_000 });
  });

  it("one that was handed a folder which is replaced by now is not used", async () => {
    using surroundings = await lookAtSurroundings(knownPath("/bin/sh"));
    await using ahead = new PrewarmedLauncher();
    const plan = planWith(knownPath(place.folder("ws/handed")));
    const how = { hasStdin: false, runAs: null, cgroups: null, startedBy: null, surroundings };
    const prepared = async (): Promise<number> => {
      ahead.prepare(plan, how);
      ahead.prepare(plan, how);
      ahead.rest();
      return untilOneWaits(process.pid);
    };
    const first = await prepared();
    await using taken = ahead.take(plan, how);
    expect(taken?.child.pid).toBe(first);
    await taken?.[Symbol.asyncDispose]();
    const second = await prepared();
    renameSync(join(place.ws, "handed"), join(place.ws, "moved"));
    place.folder("ws/handed");
    expect(ahead.take(plan, how)).toBeNull();
    await untilGone([second]);
  });
});

/** A launcher that is handed a folder. */
function planWith(folder: AbsolutePath): MountPlan {
  const made: MountPlan = Object.create(null);
  return Object.assign(made, {
    file: "/usr/bin/bwrap",
    argv: ["--args", "3", "--", "/bin/sh", "-c", ":"],
    inputs: [
      { fd: 3, bytes: new Uint8Array() },
      { fd: 7, folder },
    ],
    kind: "mounts",
    startFd: 6,
    sizesFd: null,
    launchers: 1,
    tree: null,
  });
}

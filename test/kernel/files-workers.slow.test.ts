import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/index.ts";
import { testSession } from "../support/approval/test-session.ts";
import { descendantsOf, untilGone, workersOf } from "../support/battery/descendants.ts";
import { Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { RUNAWAY, withRunaway } from "../support/files/runaway.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("the life of workers");

describe.skipIf(unusable !== null)("workers of one session", () => {
  it("are two at most, however much is called at once, and all is answered", async () => {
    await using at = await testSession((place) => {
      for (let name = 0; name < 300; name += 1) place.file(`ws/${name}`, "needle\n".repeat(2_000));
    });
    const { session } = at;
    let max = 0;
    const timer = setInterval(() => {
      max = Math.max(max, workersOf(process.pid).length);
    }, 5);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => session.call("search_files", { regex: "needl[^e]|nothing" })),
    );
    clearInterval(timer);
    expect(outcomes.map(toldOf)).toEqual(
      Array.from({ length: 12 }, () => expect.objectContaining({ matches: [], files: 300 })),
    );
    expect(max).toBe(2);
    expect(at.journal.of("walls.proven").length).toBe(2);
  });

  it("of the other profile are others: who may write is not who looks", async () => {
    await using at = await testSession(() => undefined, {
      settings: ({ ws }) => ({
        sandbox: { paths: { ws: { root: ws, mode: "rw", write_approval: true } } },
      }),
    });
    await at.session.call("write_file", { path: "ws:a", content: "" });
    const [looks, writes] = workersOf(process.pid).map(
      (pid) =>
        readFileSync(`/proc/${pid}/mountinfo`, "utf8")
          .split("\n")
          .find((line) => line.includes(` ${at.place.ws} `)) ?? "",
    );
    expect([looks, writes].map((line) => / (r[ow])[, ]/.exec(line ?? "")?.[1]).toSorted()).toEqual([
      "ro",
      "rw",
    ]);
  });

  it("end with the session, and with the supervisor, and what they were asked fails at once", async () => {
    for (const ends of ["session", "supervisor"] as const) {
      await using at = await testSession(withRunaway);
      const { session, supervisor } = at;
      await session.call("list_dir", { path: "ws:" });
      const calls = [1, 2, 3].map(() => session.call("search_files", RUNAWAY));
      await untilTwo();
      await pause(300);
      await (ends === "session" ? session : supervisor)[Symbol.asyncDispose]();
      expect([ends, workersOf(process.pid)]).toEqual([ends, []]);
      expect((await Promise.all(calls)).map(toldOf)).toEqual(["USAGE", "USAGE", "USAGE"]);
    }
  });

  it("fs.mounts: that lose a mount are replaced before the next call", async () => {
    await using at = await testSession((place) => place.file("ws/.env", "SECRET=1\n"), {
      profile: { masks: [{ pattern: "**/.env", at_most: "none" }] },
    });
    const { session, place } = at;
    const read = async () => toldOf(await session.call("read_file", { path: "ws:.env" }));
    const isHeld = (pid = 0) => readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(`${place.ws}/.env `);
    expect(await read()).toBe("DENIED");
    const [before] = workersOf(process.pid);
    expect(isHeld(before)).toBe(true);
    rmSync(`${place.ws}/.env`);
    place.file("ws/.env", "SECRET=2\n");
    expect(isHeld(before)).toBe(false);
    expect(await read()).toBe("DENIED");
    const [after] = workersOf(process.pid);
    expect([after === before, isHeld(after)]).toEqual([false, true]);
  });
});

async function untilTwo(): Promise<void> {
  while (workersOf(process.pid).length < 2) await pause(10);
}

describe.skipIf(unusable !== null)("a file call", () => {
  const limited = (limits: object) => testSession(withRunaway, { settings: { sandbox: { limits } } });

  it("ends at `wall`, if that is less", async () => {
    await using at = await limited({ wall: "1s" });
    expect(await at.session.call("search_files", RUNAWAY)).toMatchObject({
      error: {
        code: "WALL_TIME",
        message: expect.stringContaining("more than 1000 ms"),
        hint: "request less at once",
      },
    });
    // As the hint says.
    expect(toldOf(await at.session.call("search_files", { text: "xx" }))).toMatchObject({ files: 1 });
  });

  it("ends when it is cancelled: while it works, and while it waits for a worker", async () => {
    await using at = await limited({});
    const { session } = at;
    const controllers = [1, 2, 3].map(() => new AbortController());
    const calls = controllers.map(({ signal }) => session.call("search_files", RUNAWAY, { signal }));
    await untilTwo();
    await pause(300);
    const why = new Error("enough");
    const said: unknown[] = [];
    for (const [index, controller] of controllers.toReversed().entries()) {
      controller.abort(why);
      const outcome: Outcome | undefined = await calls[calls.length - 1 - index];
      said.push(outcome?.kind === "failed" && "error" in outcome ? outcome.error : outcome);
    }
    expect(said).toEqual([why, why, why]);
    expect(toldOf(await session.call("search_files", { text: "xx" }))).toMatchObject({ files: 1 });
  });

  it("writes no more than `file_size`, and leaves the old content where that is too little", async () => {
    await using at = await limited({ file_size: "4KiB" });
    const { session, place } = at;
    const write = async (bytes: number) =>
      toldOf(await session.call("write_file", { path: "ws:a", content: "y".repeat(bytes) }));
    expect(await write(4096)).toMatchObject({ bytes: 4096 });
    expect(await write(4097)).toBe("FILE_TOO_LARGE");
    expect(place.read("ws/a")).toBe("y".repeat(4096));
    expect(toldOf(await session.call("list_dir", { path: "ws:" }))).toMatchObject({ total: 1 });
  });
});

describe.skipIf(unusable !== null)("a process that made calls", () => {
  it("ends by itself while its workers are idle, and they with it", async () => {
    using place = new Place(CALLER);
    place.file("ws/a", "x");
    const child = place.start({
      job: { calls: [], isLeft: true, steps: [{ tool: "read_file", input: { path: "ws:a" } }] },
    });
    const closed = once(child, "close");
    const [chunk] = await once(child.stdout ?? child, "data");
    expect(String(chunk)).toContain("made");
    const seen = new Set<number>();
    const timer = setInterval(() => {
      for (const pid of descendantsOf(child.pid ?? -1)) seen.add(pid);
    }, 5);
    const [status] = await Promise.race([closed, pause(15_000, ["it goes on"])]);
    clearInterval(timer);
    child.kill("SIGKILL");
    expect(status).toBe(0);
    expect(seen.size).toBeGreaterThan(1);
    await untilGone([...seen]);
  });
});

describe.skipIf(unusable !== null).each(PEOPLE)("mounts that arrive on the host, for $name", (person) => {
  /** What a worker has mounted after the host mounted something in its root, and what calls told before and then. */
  async function mountedLate(place: Place, helperFolders: readonly string[] | null) {
    place.folder("ws/sub");
    place.file("ws/sub/below", "old");
    const { uid, gid } = person;
    const become = uid === 0 ? "" : `/usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups --`;
    // For half a minute at most, so that nothing stays behind a test that failed.
    const untilThere = (path: string): string =>
      `n=0; while ! [ -e "${path}" ] && [ $n -lt 1500 ]; do n=$((n+1)); sleep 0.02; done`;
    const mounting = `mount -n --make-rshared / && { (
      ${untilThere("$0/go")}
      mount -n -t tmpfs -o mode=1777 none "$0/sub" && touch "$0/sub/above" && touch "$0/mounted"
      ${untilThere("$0/end")} ) & exec ${become} "$@"; }`;
    const wait = (name: string) => ({
      run: ["/bin/sh", "-c", untilThere(`${place.ws}/${name}`)],
    });
    const list = { tool: "list_dir", input: { path: "ws:sub" } };
    const child = place.start({
      under: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mounting, place.ws],
      startedBy: CALLER,
      job: {
        calls: [],
        helperFolders: helperFolders === null ? null : [...helperFolders],
        steps: [list, wait("looked"), list],
      },
    });
    let out = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const closed = once(child, "close");
    while (!out.includes('"told"') && child.exitCode === null) await pause(10);
    const [worker] = workersOf(child.pid ?? -1);
    place.file("ws/go", "");
    while (!isThere(join(place.ws, "mounted"))) await pause(10);
    const table = readFileSync(`/proc/${worker}/mountinfo`, "utf8");
    place.file("ws/looked", "");
    while (out.trim().split("\n").length < 3 && child.exitCode === null) await pause(10);
    place.file("ws/end", "");
    await closed;
    const replies = out
      .trim()
      .split("\n")
      .map((line) => Reply.parse(JSON.parse(line)));
    return { isSeen: table.includes(` ${place.ws}/sub `), replies: replies.slice(1) };
  }

  itUnless(notRoot, "are not seen by workers that have mounts of their own", async () => {
    using place = new Place(person);
    const { isSeen, replies } = await mountedLate(place, null);
    expect(isSeen).toBe(false);
    expect(replies).toMatchObject([
      { told: { entries: [{ name: "below" }] }, files: "enforced" },
      { told: { entries: [{ name: "below" }] }, files: "enforced" },
    ]);
  });

  itUnless(
    notRoot,
    "are seen where no such mounts can be had, by another worker, and the receipt says so",
    async () => {
      using place = new Place(person);
      const helpers = join(place.top, "helpers");
      mkdirSync(helpers);
      writeFileSync(join(helpers, "unshare"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      const { isSeen, replies } = await mountedLate(place, [helpers, "/usr/bin"]);
      expect(isSeen).toBe(true);
      expect(replies).toMatchObject([
        { told: { entries: [{ name: "below" }] }, files: "partial" },
        { told: { entries: [{ name: "above" }] }, files: "partial" },
      ]);
    },
  );
});

describe.skipIf(unusable !== null)("root on the tree of somebody else", () => {
  const { uid, gid } = ORDINARY;

  itUnless(notRoot, "works on files as that user", async () => {
    await using at = await testSession((place) => {
      chownSync(place.ws, uid, gid);
      place.file("ws/own", "root's", 0o600);
    });
    const { session, place } = at;
    const written = await session.call("write_file", { path: "ws:new/file", content: "x" });
    expect(written).toMatchObject({
      kind: "done",
      value: { is_new: true },
      receipt: { runAs: uid, enforcement: { files: { kind: "enforced" } } },
    });
    for (const name of ["new", "new/file"]) {
      const stat = statSync(`${place.ws}/${name}`);
      expect([name, stat.uid, stat.gid]).toEqual([name, uid, gid]);
    }
    // The twin: what that user may not read is not read with root's rights.
    expect(toldOf(await session.call("read_file", { path: "ws:own" }))).toBe("FILE_SYSTEM");
  });

  itUnless(notRoot, "says so at once where that user does not reach Node", async () => {
    using place = new Place(CALLER);
    const hidden = join(place.top, "hidden");
    mkdirSync(hidden, { mode: 0o700 });
    copyFileSync(process.execPath, join(hidden, "node"));
    chmodSync(join(hidden, "node"), 0o755);
    chownSync(place.ws, uid, gid);
    const replies = await place.run({
      under: ["/bin/sh", "-c", 'shift; exec "$0" "$@"', join(hidden, "node")],
      job: { calls: [], steps: [{ tool: "list_dir", input: { path: "ws:" } }] },
    });
    expect(replies[1]).toMatchObject({
      told: "SANDBOX_UNAVAILABLE",
      why: `file tools run \`${hidden}/node\`, which the owner of the roots can't reach: \`${hidden}\` is closed`,
    });
  });
});

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

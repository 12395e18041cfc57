import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { TEMPORARY } from "../../src/tool/files/protocol.ts";
import { testSession } from "../support/approval/test-session.ts";
import { workersOf } from "../support/battery/descendants.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { end } from "../support/battery/processes.ts";
import { rootsIn } from "../support/files/notes.ts";
import { recordsOf, temporariesIn } from "../support/files/temporaries.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("workers that are killed");

describe.skipIf(unusable !== null)("a worker that is killed", () => {
  it("fails that call alone: another one that runs beside it goes on", async () => {
    await using at = await testSession((place) => place.file("ws/a", `${"x".repeat(30)}\n`.repeat(10)));
    const { session } = at;
    await session.call("read_file", { path: "ws:a" });
    const runaway = () => session.call("search_files", { path: "ws:a", regex: "^(x+x+)+y$" });
    const searches = [runaway(), runaway()];
    while (workersOf(process.pid).length < 2) await pause(10);
    await pause(500);
    const [first] = workersOf(process.pid);
    end(first === undefined ? [] : [first]);
    const told = await Promise.race(searches.map(async (search) => toldOf(await search)));
    expect(told).toBe("WORKER_LOST");
    end(workersOf(process.pid));
    expect((await Promise.all(searches)).map(toldOf)).toEqual(["WORKER_LOST", "WORKER_LOST"]);
    expect(toldOf(await session.call("read_file", { path: "ws:a" }))).toMatchObject({ lines: 10 });
  });
});

describe.skipIf(unusable !== null)("what a supervisor left that has ended", () => {
  it("is swept before the next call where tools may write, and stays everywhere else, written down", async () => {
    const prefixOf = (name: string): string => `${TEMPORARY}ended-${name}-`;
    await using at = await testSession(
      (place) => {
        rootsIn(place);
        const record = (name: string, ...folders: readonly string[]) => {
          for (const folder of folders) place.file(`${folder}/${prefixOf(name)}0`, "left");
          place.folder("state/cofferdam/temporaries", 0o700);
          place.file(
            `state/cofferdam/temporaries/${name}.json`,
            JSON.stringify({
              pid: process.pid,
              startedAt: "0",
              prefix: prefixOf(name),
              endedBy: Date.now() - 6_000,
              folders: folders.map((folder) => `${place.top}/${folder}`),
            }),
          );
        };
        record("in-here", "cache");
        record("elsewhere", "ws", "docs", "outside");
      },
      { settings: (place) => ({ sandbox: { paths: rootsIn(place) } }) },
    );
    const { session, place } = at;
    expect(toldOf(await session.call("list_dir", { path: "ws:" }))).toMatchObject({ is_end: true });
    const found = ["cache", "ws", "docs", "outside"].map((name) => temporariesIn(`${place.top}/${name}`));
    const left = [`${prefixOf("elsewhere")}0`];
    expect(found).toEqual([[], [], left, left]);
    expect(recordsOf(place)).toEqual(["elsewhere.json"]);
  });

  it("is looked for again where a worker of its may have ended later", async () => {
    const prefix = `${TEMPORARY}ended-late-`;
    await using at = await testSession((place) => {
      place.folder("state/cofferdam/temporaries", 0o700);
      const entry = { pid: process.pid, startedAt: "0", prefix, folders: [place.ws] };
      place.file("state/cofferdam/temporaries/late.json", JSON.stringify(entry));
    });
    const { session, place } = at;
    for (const made of ["0", "1", "2"]) {
      place.file(`ws/${prefix}${made}`, "left");
      expect(toldOf(await session.call("list_dir", { path: "ws:" }))).toMatchObject({ total: 0 });
    }
    expect(recordsOf(place)).toContain("late.json");
  });
});

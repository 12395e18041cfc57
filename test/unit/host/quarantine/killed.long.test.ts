import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startDriver, storm } from "../../../support/battery/storm.ts";
import { driven } from "../../../support/quarantine/driven.ts";
import { freshFolder, Shelf } from "../../../support/quarantine/shelf.ts";

describe("a process that is killed at any step", () => {
  it.each(["restore", "drop"])(
    "loses nothing and leaves nothing live, with the state folder on another file system: %s",
    (end) => {
      using shelf = new Shelf();
      const states = freshFolder("/dev/shm");
      try {
        expect(driven(["deaths", shelf.tree, states, end])).toEqual([expect.stringMatching(/^\d{3} steps$/)]);
      } finally {
        rmSync(states, { recursive: true, force: true });
      }
    },
  );

  it("loses nothing and leaves nothing live where it removes what it took", () => {
    using shelf = new Shelf();
    const [trees, states] = [shelf.folder("trees"), shelf.folder("states")];
    expect(driven(["deaths", trees, states, "drop"])).toEqual([expect.stringMatching(/^\d{3} steps$/)]);
  });
});

describe.each(["/tmp", "/dev/shm"])(
  "processes that are killed at random, with the state folder in %s",
  (stateIn) => {
    it("lose nothing of what they take and give back, one beside the other", async () => {
      let now = Date.now;
      using shelf = new Shelf({ stateIn, now: () => now() });
      shelf.file("a/.envrc", "file");
      shelf.link("b/.envrc", "nowhere");
      for (const name of ["x/1", "y"]) shelf.file(`c/.opencode/${name}`, name);
      const before = shelf.inventory();
      const paths = ["a/.envrc", "b/.envrc", "c/.opencode"].map((name) => shelf.at(name));
      const { kills, said } = await storm("quarantine-driver.ts", ["loop", shelf.state, ...paths], 2, 8_000);
      expect(said).toEqual([]);
      expect(kills).toBeGreaterThan(4);
      // Later, when nobody can be at it any more.
      now = () => Date.now() + 2 * 60_000;
      await shelf.quarantine.sweep();
      for (const { id } of shelf.quarantine.list()) await shelf.quarantine.restore(id);
      // One killed after it had given back what another took at once may have left what it gave back.
      for (const { id } of shelf.quarantine.list()) await shelf.quarantine.drop(id);
      expect(shelf.inventory()).toEqual(before);
      expect(shelf.held().filter((line) => !/^\/[0-9a-f-]{36} folder/.test(line))).toEqual([]);
    });
  },
);

it("a quarantine at which a process is at work can be looked at, and swept, at any instant", async () => {
  using shelf = new Shelf();
  shelf.file("a/.envrc", "file");
  const child = startDriver("quarantine-driver.ts", ["loop", shelf.state, shelf.at("a/.envrc")]);
  try {
    await new Promise((resolve) => child.stdout.once("data", resolve));
    for (let look = 0; look < 200; look += 1) {
      const items = shelf.quarantine.list().flatMap((record) => record.items);
      for (const { path } of items) expect(path).toBe(shelf.at("a/.envrc"));
      await shelf.another().sweep();
      await pause(2);
    }
  } finally {
    child.kill("SIGKILL");
  }
  await new Promise((resolve) => child.once("close", resolve));
  await shelf.quarantine.sweep();
  for (const { id } of shelf.quarantine.list()) await shelf.quarantine.restore(id);
  expect(shelf.inventory()).toHaveLength(2);
});

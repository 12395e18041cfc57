import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Shelf } from "../../../support/quarantine/shelf.ts";

/** The state folder is in memory: nothing can be renamed into it. */
function shelfElsewhere(): Shelf {
  const shelf = new Shelf({ stateIn: "/dev/shm" });
  expect(statSync(shelf.state).dev).not.toBe(statSync(shelf.tree).dev);
  return shelf;
}

describe("with the state folder on another file system", () => {
  test("what is taken is copied, and comes back as it was", async () => {
    using shelf = shelfElsewhere();
    shelf.file("x/a/program", "22", 0o750);
    shelf.link("x/link", "/etc/hostname");
    chmodSync(shelf.folder("x/shut"), 0o500);
    shelf.file("y", "file", 0o640);
    shelf.link("z", "nowhere");
    const before = shelf.inventory();
    const { id, items } = await shelf.take("x", "y", "z");
    expect(items.map(({ state, aside, problem }) => [state, aside, problem])).toEqual(
      Array.from({ length: 3 }, () => ["taken", null, null]),
    );
    expect(shelf.inventory()).toEqual([]);
    await shelf.quarantine.restore(id);
    expect(shelf.inventory()).toEqual(before);
  });

  test.each<[what: string, make: (shelf: Shelf) => unknown]>([
    ["more than is read of one entry", (shelf) => shelf.file("x/large", Buffer.alloc(64 * 1024 ** 2 + 1))],
    ["a FIFO", (shelf) => execFileSync("mkfifo", [join(shelf.folder("x"), "fifo")])],
    [
      "a socket",
      (shelf) =>
        execFileSync("/usr/bin/perl", [
          "-MIO::Socket::UNIX",
          "-e",
          "IO::Socket::UNIX->new(Local => shift, Listen => 1) or die",
          join(shelf.folder("x"), "s"),
        ]),
    ],
  ])(
    "what can't be copied stays in its folder, under a name that nobody looks for, and can be dropped: %s",
    async (_, make) => {
      using shelf = shelfElsewhere();
      make(shelf);
      const { id, items } = await shelf.take("x");
      const aside = `x.cofferdam-${id.slice(0, 8)}-0`;
      expect(items).toMatchObject([
        {
          state: "aside",
          aside: shelf.at(aside),
          digest: null,
          problem: expect.stringContaining("it can't be copied"),
        },
      ]);
      expect([readdirSync(shelf.tree), shelf.held()]).toEqual([[aside], [expect.stringContaining(id)]]);
      expect(await shelf.quarantine.restore(id)).toEqual([
        { path: shelf.at("x"), problem: expect.stringContaining("move it yourself") },
      ]);
      expect(await shelf.quarantine.drop(id)).toEqual([{ path: shelf.at("x"), problem: null }]);
      expect(readdirSync(shelf.tree)).toEqual([]);
    },
  );
});

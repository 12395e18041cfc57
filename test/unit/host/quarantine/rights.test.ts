import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PEOPLE, type Person } from "../../../support/battery/people.ts";
import { done } from "../../../support/quarantine/driven.ts";
import { Shelf } from "../../../support/quarantine/shelf.ts";

/** Has the person's quarantine do these steps with all of these. */
function steps(
  shelf: Shelf,
  person: Person,
  names: readonly string[],
  ...words: readonly string[]
): readonly unknown[] {
  const paths = names.map((name) => shelf.at(name));
  return done(shelf.state, [["take", ...paths], ...words.map((word) => [word])], { person });
}

/** Makes things, gives all to the person, and then takes rights from folders. */
function shut(person: Person, files: readonly string[], modes: Readonly<Record<string, number>>): Shelf {
  const shelf = new Shelf();
  for (const name of files) shelf.file(name, name);
  shelf.give(person);
  for (const [name, mode] of Object.entries(modes)) chmodSync(shelf.at(name), mode);
  return shelf;
}

describe.each(PEOPLE)("what a call makes and shuts, taken by $name:", (person) => {
  const isRoot = person.uid === 0;
  const ok = (shelf: Shelf, name: string) => ({ path: shelf.at(name), problem: null });

  it.each([
    ["the folder that it lies in may not be written", { f: 0o555 }],
    ["nor read, nor entered", { f: 0o000 }],
    ["a file that nobody may write", { "f/x": 0o400 }],
  ])("is out of its place, and back as it was: %s", (_, modes) => {
    using shelf = shut(person, ["f/x"], modes);
    const before = shelf.inventory();
    const [taken, restored] = steps(shelf, person, ["f/x"], "restore");
    expect(taken).toMatchObject([{ state: "taken", kind: "file", problem: null }]);
    expect(restored).toEqual([ok(shelf, "f/x")]);
    expect(shelf.inventory()).toEqual(before);
  });

  it("is out of its place, and can be removed: a file that its owner may not read, which nobody but root gives back", () => {
    using shelf = shut(person, ["f/x", "f/y"], { "f/x": 0o000 });
    const [taken, restored, dropped] = steps(shelf, person, ["f/x", "f/y"], "restore", "drop");
    expect(taken).toMatchObject([{ state: "taken" }, { state: "taken" }]);
    const shutOut = { path: shelf.at("f/x"), problem: expect.stringContaining("move it yourself") };
    expect(restored).toEqual([isRoot ? ok(shelf, "f/x") : shutOut, ok(shelf, "f/y")]);
    expect(dropped).toEqual(isRoot ? [] : [ok(shelf, "f/x")]);
    expect(readdirSync(shelf.at("f"))).toEqual(isRoot ? ["x", "y"] : ["y"]);
  });

  it.each([0o000, 0o111, 0o444])(
    "is out of its place whole, and can be removed: a folder of mode %o in another",
    (mode) => {
      using shelf = shut(person, ["f/x/a/file"], { "f/x/a": mode, "f/x": mode, f: 0o555 });
      const [taken, listed, dropped] = steps(shelf, person, ["f/x"], "list", "drop");
      expect([taken, listed]).toMatchObject([[{ state: "taken" }], [{ state: "taken" }]]);
      expect(dropped).toEqual([ok(shelf, "f/x")]);
      expect([readdirSync(shelf.at("f")), lstatSync(shelf.at("f")).mode & 0o777]).toEqual([[], 0o555]);
      expect(shelf.held().filter((line) => !/^\/[0-9a-f-]{36} folder/.test(line))).toEqual([]);
    },
  );
});

const [root] = PEOPLE.filter(({ uid }) => uid === 0);
const ordinary = PEOPLE.filter(({ runAs }) => runAs.uid !== undefined);

describe.skipIf(root === undefined)("what belongs to others", () => {
  it("comes back as theirs where root takes it, and runs as nobody else", async () => {
    using shelf = new Shelf();
    shelf.file("x/program", "#!", 0o755);
    for (const [name, mode] of [
      ["x/program", 0o6755],
      ["x", 0o3777],
    ] as const) {
      chownSync(shelf.at(name), 1234, 4321);
      chmodSync(shelf.at(name), mode);
    }
    const { id } = await shelf.take("x");
    await shelf.quarantine.restore(id);
    expect(shelf.inventory()).toEqual([
      expect.stringMatching(/^\/x folder 777 1234:4321/),
      expect.stringMatching(/^\/x\/program file 755 2 .* 1234:4321$/),
    ]);
  });

  it.each(ordinary)(
    "is copied by $name where it can't be moved, and told where it can't even be renamed",
    (person) => {
      using shelf = new Shelf();
      for (const name of ["f/mine", "f/theirs/a", "sticky/x"]) shelf.file(name, name);
      shelf.give(person);
      execFileSync("chown", ["-R", "0:0", shelf.at("f/theirs"), shelf.at("sticky")]);
      chmodSync(shelf.at("sticky"), 0o1777);
      const [taken, , listed] = steps(shelf, person, ["f/mine", "f/theirs", "sticky/x"], "sweep", "list");
      expect(taken).toMatchObject([
        { state: "taken", problem: null },
        {
          state: "taken",
          problem: expect.stringMatching(
            /^a copy remains at `.*\/f\/theirs\.cofferdam-[0-9a-f]{8}-1`: EACCES$/,
          ),
        },
        { state: "live", problem: "EPERM" },
      ]);
      expect(listed).toMatchObject([{ state: "taken" }, { state: "taken" }, { state: "live" }]);
      expect(readdirSync(shelf.at("f"))).toEqual([expect.stringMatching(/^theirs\.cofferdam-/)]);
      expect(readdirSync(shelf.at("sticky"))).toEqual(["x"]);
    },
  );
});

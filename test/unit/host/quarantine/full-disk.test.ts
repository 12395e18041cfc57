import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { notRoot } from "../../../support/battery/needs.ts";
import { PEOPLE } from "../../../support/battery/people.ts";
import { done } from "../../../support/quarantine/driven.ts";
import { Shelf } from "../../../support/quarantine/shelf.ts";

/** Room for so much in the state folder, of which so much is used already; it goes with the process. */
const disk = (shelf: Shelf, uid: number, size: string, used = "0") =>
  `mount -n -t tmpfs -o size=${size},mode=0700,uid=${uid} none ${shelf.state} && head -c ${used} /dev/zero > ${shelf.state}/used 2>/dev/null; true`;

describe.skipIf(notRoot !== null).each(PEOPLE)("on a full disk, as $name,", (person) => {
  const shelfWith = (files: Readonly<Record<string, string | Buffer>>): Shelf => {
    const shelf = new Shelf();
    for (const [name, content] of Object.entries(files)) shelf.file(name, content);
    shelf.give(person);
    return shelf;
  };

  it("nothing that was made is live: it stays in its folder under another name", () => {
    using shelf = shelfWith({ "a/.envrc": "file", "b/.opencode/x": "folder" });
    const mounting = disk(shelf, person.uid, "64k", "1m");
    const steps = [["take", shelf.at("a/.envrc"), shelf.at("b/.opencode")], ["list"], ["sweep"]];
    const [taken, listed] = done(shelf.state, steps, { person, mounting });
    expect([taken, listed]).toEqual([
      [
        expect.objectContaining({ state: "aside", problem: "the state folder is not writable" }),
        expect.objectContaining({ state: "aside", problem: "the state folder is not writable" }),
      ],
      [],
    ]);
    const [name = ""] = readdirSync(shelf.at("a"));
    expect([name, ...readdirSync(shelf.at("b"))]).toEqual([
      expect.stringMatching(/^\.envrc\.cofferdam-[0-9a-f]{8}-0$/),
      expect.stringMatching(/^\.opencode\.cofferdam-[0-9a-f]{8}-1$/),
    ]);
    expect(readFileSync(shelf.at(`a/${name}`), "utf8")).toBe("file");
  });

  it("what finds no room stays aside, known by the record, and comes back", () => {
    using shelf = shelfWith({ "a/.envrc": Buffer.alloc(200_000, "x"), "b/.envrc": "small" });
    const before = shelf.inventory();
    const mounting = disk(shelf, person.uid, "128k");
    const steps = [["take", shelf.at("a/.envrc"), shelf.at("b/.envrc")], ["list"], ["restore"], ["list"]];
    const [taken, listed, restored, left] = done(shelf.state, steps, { person, mounting });
    expect([taken, listed]).toEqual(
      Array.from({ length: 2 }, () => [
        expect.objectContaining({ state: "aside", problem: "ENOSPC", kind: "file" }),
        expect.objectContaining({ state: "taken", problem: null }),
      ]),
    );
    expect([restored, left]).toEqual([
      ["a", "b"].map((name) => ({ path: shelf.at(`${name}/.envrc`), problem: null })),
      [],
    ]);
    expect(shelf.inventory()).toEqual(before);
  });
});

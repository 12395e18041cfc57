import { describe, expect, it } from "vitest";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("folders that are granted for some suffixes");

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each([
    ["a shown file is written on the host", "echo more >> a.md && cat a.md", "first\nmore\n", 0],
    ["what can't be kept can't be made either, and is not lost in silence", "echo new > b.md", "", 2],
    ["a folder can't be made", "mkdir folder", "", 1],
    ["nor a file of another suffix", "echo new > b.txt", "", 2],
  ])("suffix: below a folder for .md files alone %s", async (_, line, stdout, code) => {
    using place = new Place(person);
    place.file("ws/a.md", "first\n");
    place.file("ws/a.txt", "hidden\n");
    const paths = { ws: { root: place.ws, mode: "rw", write_approval: false, suffixes: [".md"] } };
    const settings = { sandbox: { paths } };
    const [, reply] = await place.run({ settings, job: { calls: [{ argv: ["sh", "-c", line] }] } });
    expect(reply).toMatchObject({ kind: "ran", code, stdout });
    expect(place.read("ws/a.md")).toBe(stdout === "" ? "first\n" : stdout);
  });
});

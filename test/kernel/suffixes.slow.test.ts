import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { makeNames } from "../support/files/many-names.ts";

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
    const [, reply] = await place.runServed({ settings, job: { calls: [{ argv: ["sh", "-c", line] }] } });
    expect(reply).toMatchObject({ kind: "ran", code, stdout });
    expect(place.read("ws/a.md")).toBe(stdout === "" ? "first\n" : stdout);
  });

  it.each([
    ["64 files and no more", 64, 0, "64\n"],
    ["65 files", 65, 0, "0\n"],
    ["one of 10,000 names", 1, 9_999, "1\n"],
    ["one of 10,001 names", 1, 10_000, "0\n"],
  ])(
    "suffix: a folder that has %s is looked through as far as that, and shows all or none",
    async (_, notes, others, stdout) => {
      using place = new Place(person);
      for (let at = 0; at < notes; at += 1) place.file(`ws/${at}.md`, "");
      makeNames(
        place.ws,
        Array.from({ length: others }, (_unused, at) => `${at}.txt`),
      );
      const paths = { ws: { root: place.ws, mode: "ro", suffixes: [".md"] } };
      const [, reply] = await place.runServed({
        settings: { sandbox: { paths } },
        job: { calls: [{ argv: ["sh", "-c", "ls | wc -l"] }] },
      });
      expect(reply).toMatchObject({ kind: "ran", code: 0, stdout });
    },
  );
});

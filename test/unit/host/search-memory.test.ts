import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isAsRead } from "../../../src/host/look/search/folder.ts";
import { MaskSearch } from "../../../src/host/look/search/search.ts";
import { change, changes, hush } from "../../support/search/changes.ts";
import { Wood } from "../../support/search/wooded.ts";

const CAPS = { none: ["**/.env", "**/b/.git"], read: ["**/hooks", "a/**/HEAD", "**/.g*/commondir"] };

/** Longer than a change may hide within the grain of the file system's clock. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

test("what is found from memory is what is found without, whatever happened in between", async () => {
  await fc.assert(
    fc.asyncProperty(changes, changes, changes, async (first, second, third) => {
      using wood = new Wood();
      const profile = wood.profile(CAPS);
      wood.plant(
        "a/.git/HEAD",
        "a/.git/objects/",
        "a/.git/refs/",
        "a/b/.env",
        "b/hooks/",
        "b/.git/commondir",
      );
      for (const folder of ["a", "a/.git", "a/b", "b", "b/.git", "."]) hush(`${wood.top}/${folder}`);
      const search = new MaskSearch();
      for (const some of [first, second, third]) {
        change(wood.top, some);
        expect(await search.find([profile])).toEqual(await new MaskSearch().find([profile]));
        await settle();
        expect(await search.find([profile])).toEqual(await new MaskSearch().find([profile]));
      }
    }),
    { numRuns: process.env["COFFERDAM_TEST_TIER"] === undefined ? 8 : 40 },
  );
});

describe("a change that hides is found", () => {
  it.each<[string, (wood: Wood) => void]>([
    [
      "times that are set back",
      (wood) => {
        writeFileSync(wood.at("a/.env"), "");
        hush(wood.at("a"));
      },
    ],
    [
      "another folder with the same times in its place",
      (wood) => {
        mkdirSync(wood.at("new"));
        writeFileSync(wood.at("new/.env"), "");
        rmSync(wood.at("a"), { recursive: true });
        renameSync(wood.at("new"), wood.at("a"));
        hush(wood.at("a"));
        hush(wood.top);
      },
    ],
    [
      "a folder that was seen elsewhere, moved with all that it holds",
      (wood) => {
        rmSync(wood.at("a"), { recursive: true });
        renameSync(wood.at("z/old"), wood.at("a"));
      },
    ],
  ])("%s", async (_, hide) => {
    using wood = new Wood();
    wood.plant("a/x", "z/old/.env");
    for (const folder of [wood.at("a"), wood.at("z/old"), wood.top]) hush(folder);
    await settle();
    const [search, profile] = [
      new MaskSearch(),
      wood.profile({ none: ["a/.env"].map((name) => `${wood.top}/**/${name}`) }),
    ];
    expect((await search.find([profile])).hits).toEqual([]);
    hide(wood);
    expect((await search.find([profile])).hits).toEqual([wood.at("a/.env")]);
  });

  it("of a folder that was read within the grain of the clock after its last change", () => {
    using wood = new Wood();
    const stats = lstatSync(wood.top);
    const { dev, ino, mtimeMs, ctimeMs } = stats;
    const read = {
      entries: 0,
      folders: [],
      hits: [],
      signs: [],
      links: [],
      watched: null,
      isOfRoot: false,
      stamp: { dev, ino, mtimeMs, ctimeMs },
    };
    expect(isAsRead({ ...read, readMs: ctimeMs + 40 }, stats)).toBe(false);
    expect(isAsRead({ ...read, readMs: ctimeMs + 60 }, stats)).toBe(true);
    for (const name of ["dev", "ino", "mtimeMs", "ctimeMs"] as const) {
      const other = { ...read, stamp: { ...read.stamp, [name]: read.stamp[name] + 1 } };
      expect(isAsRead({ ...other, readMs: ctimeMs + 1_000 }, stats)).toBe(false);
    }
  });

  it("right after a look, within the grain of the clock", async () => {
    using wood = new Wood();
    const [search, profile] = [new MaskSearch(), wood.profile({ none: ["**/.env"] })];
    for (let at = 0; at < 200; at += 1) {
      await search.find([profile]);
      writeFileSync(wood.at(".env"), "");
      expect((await search.find([profile])).hits).toEqual([wood.at(".env")]);
      rmSync(wood.at(".env"));
    }
  });
});

import { spawnSync } from "node:child_process";
import { chownSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { type ListNames, listNames } from "../../../src/host/look/search/list.ts";
import { MaskSearch, USUAL_BOUNDS } from "../../../src/host/look/search/search.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { SearchSection } from "../../../src/tool/settings.ts";
import { Wood } from "../../support/search/wooded.ts";

let wood: Wood;
beforeEach(() => {
  wood = new Wood();
});
afterEach(() => wood[Symbol.dispose]());

test("the bounds without a config are those that a config has by default", () => {
  const { entries, time, over } = SearchSection.parse({});
  expect(USUAL_BOUNDS).toEqual({ entries, timeMs: time, over });
});

it("below what is hidden only that is looked for which must not be moved away with it, and masked links", async () => {
  wood.plant("hidden/.envrc", "hidden/sub/.env", "hidden/sub/.envrc", "open/.env");
  symlinkSync("../../open", wood.at("hidden/sub/.key"));
  for (const caps of [
    { none: ["**/hidden", "**/.env", "**/.key"], read: ["**/.envrc"] },
    { none: ["**/hidden/**", "**/hidden", "**/.env", "**/.key"], read: ["**/.envrc"] },
  ]) {
    const { hits } = await new MaskSearch().find([wood.profile(caps)]);
    const kept = ["hidden", "hidden/.envrc", "hidden/sub/.envrc", "hidden/sub/.key", "open/.env"];
    expect(wood.names(hits)).toEqual(kept);
  }
});

it("a mask that hides a folder does not find the links in it", async () => {
  wood.plant("hidden/sub/x", "open/x");
  symlinkSync("../../open", wood.at("hidden/sub/link"));
  const { hits } = await new MaskSearch().find([wood.profile({ none: ["**/hidden/**", "**/.env"] })]);
  expect(wood.names(hits)).toEqual(["hidden/sub"]);
});

it("a link in a hidden folder is followed in the place of a folder with protected files", async () => {
  wood.plant("hidden/x", "tools/tasks.json");
  symlinkSync("../tools", wood.at("hidden/.vscode"));
  const caps = { none: ["**/hidden", "**/tasks.json"], read: ["**/.vscode/tasks.json"] };
  const { hits } = await new MaskSearch().find([wood.profile(caps)]);
  expect(wood.names(hits)).toEqual(["hidden", "hidden/.vscode/tasks.json", "tools/tasks.json"]);
});

it("a pattern of many names is no more work than its length", async () => {
  const names = "a/".repeat(200);
  wood.plant(`${names}x`);
  const { hits } = await new MaskSearch().find([wood.profile({ read: [`**/${names}x`] })]);
  expect(wood.names(hits)).toEqual([`${names}x`]);
});

it("a folder that can't be listed at once is listed by bytes, and never taken for an empty one", async () => {
  wood.plant("a/.env");
  const found = async (code: string) => {
    const list = () => Promise.reject(Object.assign(new Error(code), { code }));
    return (await new MaskSearch(USUAL_BOUNDS, { list }).find([wood.profile({ none: ["**/.env"] })])).hits;
  };
  expect(await found("ENOENT")).toEqual([wood.at("a/.env")]);
  expect(await found("EIO")).toEqual([wood.at("a/.env")]);
  if (process.getuid?.() === 0) chownSync(wood.at("a"), 1001, 1001);
  await expect(found("EACCES")).rejects.toMatchObject({ code: "NOT_ENFORCEABLE" });
});

it("links outside of installed packages are known of only once a profile was searched", async () => {
  wood.plant("node_modules/a/.envrc", "d/x");
  symlinkSync("a", wood.at("node_modules/b"));
  symlinkSync("../d", wood.at("d/node_modules"));
  const search = new MaskSearch();
  const [profile, cut] = [wood.profile({ read: ["**/.envrc"] }), wood.profile({ read: ["**/.envrc"] })];
  expect(search.hasLinksOutsideTrees(profile)).toBe(true);
  await search.find([profile]);
  expect([search.hasLinksOutsideTrees(profile), search.hasLinksOutsideTrees(cut)]).toEqual([false, true]);
  symlinkSync("../node_modules/a", wood.at("d/y"));
  await search.find([profile]);
  expect(search.hasLinksOutsideTrees(profile)).toBe(true);
});

describe("a folder that others move away whenever it is listed, and back whenever it is looked at", () => {
  const found = async (code: string, failures: number) => {
    wood.plant("a/.env", "b/.env");
    let tried = 0;
    const listOnce: ListNames = async (folder, stats, take) => {
      const isMoved = folder === wood.at("a") && tried < failures;
      if (folder === wood.at("a")) tried += 1;
      if (isMoved) throw Object.assign(new Error(code), { code });
      await listNames(folder, stats, take);
    };
    const search = new MaskSearch(USUAL_BOUNDS, { list: listOnce, listAgain: listOnce });
    return (await search.find([wood.profile({ none: ["**/.env"] })])).hits;
  };

  it.each(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE"])("is listed at last: %s", async (code) => {
    expect(await found(code, 9)).toEqual([wood.at("a/.env"), wood.at("b/.env")]);
  });

  it.each(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE"])("refuses for it in the end: %s", async (code) => {
    await expect(found(code, 10)).rejects.toMatchObject({
      code: "FACTS_UNSTABLE",
      message: `the folder \`${wood.at("a")}\` was moved while it was searched for protected files`,
    });
  });

  it("is told from one that can't be read", async () => {
    await expect(found("EIO", 10)).rejects.toMatchObject({ code: "NOT_ENFORCEABLE" });
  });
});

describe("the bound on entries", () => {
  const looked = (entries: number): Promise<unknown> =>
    new MaskSearch({ ...USUAL_BOUNDS, entries }).find([wood.profile({ read: ["**/.envrc"] })]);
  const over = { bound: { kind: "entries" }, over: "refuse" };

  it("lets a tree of just so many names pass, and one of one more not", async () => {
    wood.plant("a/1", "a/2", "b/c/.envrc");
    expect(await looked(6)).toMatchObject({ hits: [wood.at("b/c/.envrc")], unsearched: [] });
    expect(await looked(5)).toMatchObject({ unsearched: [{ path: wood.top, ...over, bound: { max: 5 } }] });
  });

  it("counts what is remembered as what it holds", async () => {
    wood.plant("a/1", "a/2", "b/c/.envrc");
    const search = new MaskSearch({ ...USUAL_BOUNDS, entries: 6 });
    const profile = wood.profile({ read: ["**/.envrc"] });
    expect((await search.find([profile])).unsearched).toEqual([]);
    await settle();
    expect((await search.find([profile])).unsearched).toEqual([]);
    wood.plant("b/c/one-more");
    expect(await search.find([profile])).toMatchObject({ unsearched: [{ path: wood.top, ...over }] });
    expect(await search.find([profile])).toMatchObject({ unsearched: [{ path: wood.top, ...over }] });
  });

  it("is one for each root: a large one leaves the others as they are", async () => {
    wood.plant("large/1", "large/2", "large/3", "small/.envrc");
    const grant = (name: string) => ({ path: wood.at(name), access: "write", suffixes: "any" }) as const;
    const { masks } = wood.profile({ read: ["**/.envrc"] });
    const both = normalProfile({ files: [grant("large"), grant("small")], masks });
    const found = await new MaskSearch({ ...USUAL_BOUNDS, entries: 2 }).find([both]);
    expect(found).toMatchObject({
      hits: [wood.at("small/.envrc")],
      unsearched: [{ path: wood.at("large"), ...over }],
    });
  });

  it("stops in the middle of a folder that is read in parts", async () => {
    wood.plant(...Array.from({ length: 1_500 }, (_, at) => `many/${String(at).padStart(40, "n")}`));
    let told = 0;
    const search = new MaskSearch(
      { ...USUAL_BOUNDS, entries: 100 },
      {
        list: (folder, stats, take) =>
          listNames(folder, stats, (name, kind) => {
            told += 1;
            return take(name, kind);
          }),
      },
    );
    expect((await search.find([wood.profile()])).unsearched).toHaveLength(1);
    expect(told).toBe(101);
    expect((await new MaskSearch().find([wood.profile()])).unsearched).toEqual([]);
  });
});

describe("the bound on processor time", () => {
  const over = (maxMs: number) => ({
    unsearched: [{ path: wood.top, bound: { kind: "time", maxMs }, over: "refuse" }],
  });
  const plantMany = (): void => wood.plant(...Array.from({ length: 200 }, (_, at) => `${at}/x`), "1/.envrc");

  it("ends a look that has used it up, and the next one gets further", async () => {
    plantMany();
    await settle();
    const profile = wood.profile({ read: ["**/.envrc"] });
    let [work, step, now, read] = [0, 10, 0, 0];
    // Whenever the search asks, it was at work for that long since.
    const search = new MaskSearch(
      { ...USUAL_BOUNDS, timeMs: 40 },
      {
        work: () => {
          work += step;
          return work;
        },
        now: () => {
          now += step;
          return now;
        },
        list: async (...all) => {
          read += 1;
          await listNames(...all);
        },
      },
    );
    expect(await search.find([profile])).toMatchObject(over(40));
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(201);
    step = 0;
    expect(await search.find([profile])).toMatchObject({ hits: [wood.at("1/.envrc")], unsearched: [] });
    expect(read).toBe(201);
  });

  it("leaves out the time in which other processes had the processor, however long that was", async () => {
    plantMany();
    let now = 0;
    const search = new MaskSearch(
      { ...USUAL_BOUNDS, timeMs: 1_000 },
      {
        now: () => {
          now += 1_000_000;
          return now;
        },
      },
    );
    for (const _ of [1, 2])
      expect(await search.find([wood.profile({ read: ["**/.envrc"] })])).toMatchObject({
        hits: [wood.at("1/.envrc")],
        unsearched: [],
      });
  });

  it("leaves out most of what other work of this process took while reads were waited for", async () => {
    plantMany();
    let work = 0;
    const search = new MaskSearch(
      { ...USUAL_BOUNDS, timeMs: 1_000 },
      {
        work: () => work,
        list: async (...all) => {
          await listNames(...all);
          work += 1_000_000;
        },
      },
    );
    expect(await search.find([wood.profile({ read: ["**/.envrc"] })])).toMatchObject({
      hits: [wood.at("1/.envrc")],
      unsearched: [],
    });
  });
});

describe("a file system", () => {
  const silent = (folder: string, maxMs: number) => ({
    unsearched: [
      { path: wood.top, bound: { kind: "silence", maxMs, folder: wood.at(folder) }, over: "refuse" },
    ],
  });

  it("that gives no answer is not waited for; it is not asked again until it has answered", async () => {
    wood.plant("a/.envrc", "b/.envrc", "c/x");
    const profile = wood.profile({ read: ["**/.envrc"] });
    const [answer, asked] = [Promise.withResolvers<void>(), [] as string[]];
    const search = new MaskSearch(USUAL_BOUNDS, {
      silenceMs: 600,
      list: async (...all) => {
        asked.push(all[0]);
        if (all[0] === wood.at("b")) await answer.promise;
        await listNames(...all);
      },
    });
    expect(await search.find([profile])).toMatchObject(silent("b", 600));
    expect(await search.find([profile])).toMatchObject(silent("b", 600));
    expect(asked.filter((folder) => folder === wood.at("b"))).toHaveLength(1);
    answer.resolve();
    await settle();
    expect(await search.find([profile])).toMatchObject({
      hits: [wood.at("a/.envrc"), wood.at("b/.envrc")],
      unsearched: [],
    });
  });

  it("that answers is waited for, however slow it is in all", async () => {
    wood.plant(...Array.from({ length: 12 }, (_, at) => `${at}/${at}/x`), "a/.envrc");
    const profile = wood.profile({ read: ["**/.envrc"] });
    const slow = new MaskSearch(USUAL_BOUNDS, {
      silenceMs: 3_000,
      list: async (...all) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await listNames(...all);
      },
    });
    expect(await slow.find([profile])).toMatchObject({ hits: [wood.at("a/.envrc")], unsearched: [] });
  });

  it("leaves room in the pool for others where it is slow", async () => {
    wood.plant(...Array.from({ length: 20 }, (_, at) => `${at}/x`));
    let [reading, max] = [0, 0];
    let now = 0;
    const search = new MaskSearch(USUAL_BOUNDS, {
      now: () => now,
      list: async (...all) => {
        reading += 1;
        if (all[0] !== wood.top) max = Math.max(max, reading);
        now += 200;
        await listNames(...all);
        reading -= 1;
      },
    });
    await search.find([wood.profile()]);
    expect(max).toBe(2);
  });
});

/** Longer than a change may hide within the grain of the file system's clock. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
}

describe("repositories", () => {
  const whole = (path: string) => ({ kind: "folder", path: wood.at(path), isWhole: true });
  const signs = async (...profiles: readonly ReturnType<Wood["profile"]>[]) =>
    (await new MaskSearch().find(profiles.length === 0 ? [wood.profile()] : profiles)).signs;
  const plantRepository = (path: string): void =>
    wood.plant(`${path}/HEAD`, `${path}/objects/`, `${path}/refs/`);

  it("are found whatever their folder is called, at the root of a grant and below another one", async () => {
    plantRepository("a/.git");
    plantRepository("a/.git/modules/lib");
    plantRepository("mirror.git");
    plantRepository("plain name");
    expect(await signs()).toEqual(["a/.git", "a/.git/modules/lib", "mirror.git", "plain name"].map(whole));
    const inside = normalProfile({
      files: [{ path: wood.at("mirror.git"), access: "write", suffixes: "any" }],
    });
    expect(await signs(inside)).toEqual([whole("mirror.git")]);
  });

  it("are found by a `commondir` too, as a linked worktree has it, and by a HEAD that is a symlink", async () => {
    wood.plant("main/.git/worktrees/w/HEAD", "main/.git/worktrees/w/commondir");
    wood.plant("old/HEAD → refs/heads/main", "old/objects/", "old/refs/");
    wood.plant("far/HEAD", "far/objects → /elsewhere", "far/refs → /elsewhere");
    expect(await signs()).toEqual([
      whole("far"),
      { ...whole("main/.git"), isWhole: false },
      whole("main/.git/worktrees/w"),
      whole("old"),
    ]);
  });

  it.each([
    ["no HEAD", ["r/objects/", "r/refs/"]],
    ["no refs", ["r/HEAD", "r/objects/"]],
    ["no objects", ["r/HEAD", "r/refs/"]],
    ["a HEAD that is a folder", ["r/HEAD/", "r/objects/", "r/refs/"]],
    ["a `commondir` without a HEAD", ["r/commondir", "r/objects/", "r/refs/"]],
    ["these in several folders", ["r/HEAD", "r/a/objects/", "r/a/refs/"]],
    ["other names", ["r/head", "r/Objects/", "r/REFS/", "r/a.git/x", "r/.gitignore", "r/git"]],
  ])("are none with %s", async (_, names) => {
    wood.plant(...names);
    expect(await signs()).toEqual([]);
  });

  it("are what `.git` leads to: a file, a link, or a folder that is none yet, in any spelling", async () => {
    wood.plant(
      "file/.git",
      "link/.git → ../elsewhere",
      "empty/.git/",
      "other/.GIT/",
      "dangling/.Git → nowhere",
    );
    expect(await signs()).toEqual([
      { kind: "link", path: wood.at("dangling/.Git"), isWhole: true },
      { kind: "folder", path: wood.at("empty/.git"), isWhole: false },
      { kind: "file", path: wood.at("file/.git"), isWhole: true },
      { kind: "link", path: wood.at("link/.git"), isWhole: true },
      { kind: "folder", path: wood.at("other/.GIT"), isWhole: false },
    ]);
  });

  it("are told for a grant that is a `.git` file itself", async () => {
    wood.plant("file/.git");
    const granted = normalProfile({
      files: [{ path: wood.at("file/.git"), access: "write", suffixes: "any" }],
    });
    expect(await signs(granted)).toEqual([{ kind: "file", path: wood.at("file/.git"), isWhole: true }]);
  });

  it("are found wherever something may be written, without any mask, and not where nothing may", async () => {
    plantRepository("open/.git");
    expect(await signs(wood.profile())).toEqual([whole("open/.git")]);
    expect(await signs(wood.profile({ access: "read" }))).toEqual([]);
  });

  it("are not looked for in what is hidden from calls", async () => {
    for (const name of ["open", "hidden", "deep/hidden/below"]) plantRepository(`${name}/.git`);
    expect(await signs(wood.profile({ none: ["**/hidden"] }))).toEqual([whole("open/.git")]);
  });

  it("are remembered with their folder, and told anew when it changes", async () => {
    plantRepository("a/.git");
    await settle();
    const search = new MaskSearch();
    const found = async () => (await search.find([wood.profile()])).signs;
    expect(await found()).toEqual([whole("a/.git")]);
    expect(await found()).toEqual([whole("a/.git")]);
    rmSync(wood.at("a/.git/HEAD"));
    expect(await found()).toEqual([{ ...whole("a/.git"), isWhole: false }]);
    wood.plant("a/.git/HEAD", "b/.git");
    expect(await found()).toEqual([
      whole("a/.git"),
      { kind: "file", path: wood.at("b/.git"), isWhole: true },
    ]);
  });
});

it("what git itself makes is found: a repository, a bare one, a submodule, a linked worktree", async () => {
  const git = (...words: readonly string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    const env = { PATH: "/usr/bin:/bin", HOME: wood.top, GIT_CONFIG_NOSYSTEM: "1" };
    const done = spawnSync("git", [...identity, ...words], { cwd: wood.top, env, encoding: "utf8" });
    expect([done.status, done.stderr]).toMatchObject([0, expect.anything()]);
  };
  git("init", "-q", "main");
  git("-C", "main", "commit", "-q", "--allow-empty", "-m", "first");
  git("clone", "-q", "--bare", "main", "bare");
  git("-C", "main", "worktree", "add", "-q", "../linked");
  git("-C", "main", "submodule", "--quiet", "add", `${wood.top}/bare`, "sub");
  const { signs } = await new MaskSearch().find([wood.profile()]);
  expect(signs.map(({ kind, path, isWhole }) => [path.slice(wood.top.length), kind, isWhole])).toEqual([
    ["/bare", "folder", true],
    ["/linked/.git", "file", true],
    ["/main/.git", "folder", true],
    ["/main/.git/modules/sub", "folder", true],
    ["/main/.git/worktrees/linked", "folder", true],
    ["/main/sub/.git", "file", true],
  ]);
});

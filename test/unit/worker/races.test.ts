import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { printProfile } from "../../../src/profile/canonical.ts";
import type { Expected, FileRequest } from "../../../src/tool/files/protocol.ts";
import { Operations } from "../../../src/worker/answer.ts";
import { GrantedFolders } from "../../../src/worker/grants.ts";
import { PathDescriptor } from "../../../src/worker/path-descriptor.ts";
import { ProcDescriptor } from "../../../src/worker/proc-descriptor.ts";
import { Temporary } from "../../../src/worker/temporary.ts";
import { temporaryName } from "../../support/worker/told.ts";
import { TestTree } from "../../support/worker/tree.ts";

/*
 * What somebody does to a tree in the midst of a call, at the one moment that a race has to hit: the worker's own code
 * in this process, and between two of its steps what the other process would do.
 */

afterEach(() => {
  vi.restoreAllMocks();
});

/** The worker's operations under the profile of a tree. */
function worker(tree: TestTree, profile = tree.profile()) {
  const operations = new Operations();
  const ask = (request: FileRequest, body = ""): { readonly answer?: unknown; readonly fault?: unknown } =>
    JSON.parse(operations.reply(JSON.stringify(request), Buffer.from(body)).header.toString());
  ask({ op: "hello", profile: printProfile(profile) });
  const expectedAt = (path: string): Expected => {
    const { answer } = ask({ op: "look", path, end: "itself" }) as {
      answer: { kind: string; version: string };
    };
    return answer.kind === "missing" ? { kind: "missing" } : { kind: "node", version: answer.version };
  };
  return { ask, expectedAt };
}

const Descriptor = process.platform === "darwin" ? PathDescriptor : ProcDescriptor;

const STEPS = {
  demand: GrantedFolders.prototype,
  demandName: GrantedFolders.prototype,
  canRead: GrantedFolders.prototype,
  isAt: Descriptor.prototype,
  child: Descriptor.prototype,
  sync: Temporary.prototype,
  stat: Temporary.prototype,
} as const;

/** Has something happen once, right before a step of the worker's is made for the so manieth time, of one name if it is said. */
function rightBefore(
  step: keyof typeof STEPS,
  happen: () => void,
  nth = 1,
  name?: string,
): { readonly happened: () => boolean } {
  vi.restoreAllMocks();
  let times = 0;
  const on: object = STEPS[step];
  const real: unknown = Reflect.get(on, step);
  if (typeof real !== "function") throw new Error(`${step} is no step`);
  vi.spyOn(on as Record<string, (...given: unknown[]) => unknown>, step).mockImplementation(function (
    this: unknown,
    ...given: unknown[]
  ) {
    if (name === undefined || given[0] === name) times += 1;
    else return Reflect.apply(real, this, given);
    if (times === nth) happen();
    return Reflect.apply(real, this, given);
  });
  return { happened: () => times >= nth };
}

const CHANGED = { fault: { fault: "CHANGED" } };

describe("a folder that is moved out of the root after it was found", () => {
  /** A file in a folder of the root; the folder goes outside when it is said to. */
  function moving() {
    const tree = new TestTree();
    const path = tree.file("d/a", "old");
    const goes = (): void => renameSync(join(tree.root, "d"), join(tree.outside, "d"));
    const left = (): readonly string[] => readdirSync(join(tree.outside, "d"));
    return { tree, path, goes, left, [Symbol.dispose]: () => tree[Symbol.dispose]() };
  }

  test("gets nothing written into it, neither over a file nor as a new one", () => {
    for (const name of ["a", "new"]) {
      using one = moving();
      const { ask, expectedAt } = worker(one.tree);
      const path = join(one.tree.root, "d", name);
      const write = { op: "write", path, temporary: temporaryName(), folders: false } as const;
      const expected = expectedAt(path);
      rightBefore("demandName", one.goes);
      expect(ask({ ...write, expected }, "new")).toMatchObject(CHANGED);
      expect([one.left(), readFileSync(join(one.tree.outside, "d/a"), "utf8")]).toEqual([["a"], "old"]);
    }
  });

  test("gets no folders made in it", () => {
    using one = moving();
    const { ask } = worker(one.tree);
    const path = join(one.tree.root, "d/x/y");
    const write = { op: "write", path, temporary: temporaryName(), folders: true } as const;
    rightBefore("demandName", one.goes);
    expect(ask({ ...write, expected: { kind: "missing" } }, "new")).toMatchObject(CHANGED);
    expect(one.left()).toEqual(["a"]);
  });

  test("keeps what is in it: nothing is removed from it, swept from it, moved out of it or into it", () => {
    using removing = moving();
    const { ask, expectedAt } = worker(removing.tree);
    const expected = expectedAt(removing.path);
    rightBefore("demandName", removing.goes);
    expect(ask({ op: "remove", path: removing.path, expected })).toMatchObject(CHANGED);
    expect(removing.left()).toEqual(["a"]);

    using sweeping = moving();
    const prefix = temporaryName();
    sweeping.tree.file(`d/${prefix}0`);
    const sweeper = worker(sweeping.tree);
    rightBefore("demand", sweeping.goes);
    expect(sweeper.ask({ op: "sweep", folder: join(sweeping.tree.root, "d"), prefix })).toMatchObject(
      CHANGED,
    );
    expect(sweeping.left()).toContain(`${prefix}0`);

    for (const [from, to] of [
      ["d/a", "b"],
      ["c", "d/c"],
    ] as const) {
      using one = moving();
      one.tree.file("c");
      const mover = worker(one.tree);
      const [path, goal] = [join(one.tree.root, from), join(one.tree.root, to)];
      const move = { op: "move", path, to: goal, temporary: temporaryName(), folders: false } as const;
      const wanted = mover.expectedAt(path);
      rightBefore("demandName", one.goes);
      expect(mover.ask({ ...move, expected: wanted })).toMatchObject(CHANGED);
      expect([one.left(), readdirSync(one.tree.root)]).toEqual([["a"], ["c"]]);
    }
  });

  test("is not walked any further: what it holds is not told", () => {
    for (const nth of [1, 2]) {
      using tree = new TestTree();
      tree.file("d/e/a", "here");
      const { ask } = worker(tree);
      const find = { op: "find", path: tree.root, glob: null, maxFound: 9, timeMs: 9_000 } as const;
      expect(ask(find)).toMatchObject({ answer: { found: [{ path: join(tree.root, "d/e/a") }] } });
      const moved = rightBefore(
        "canRead",
        () => renameSync(join(tree.root, "d"), join(tree.outside, "d")),
        nth,
      );
      expect(ask(find)).toMatchObject({ answer: { found: [] } });
      expect(moved.happened()).toBe(true);
    }
  });

  test("is not searched, and neither is what it holds", () => {
    for (const nth of [1, 2, 3]) {
      using tree = new TestTree();
      tree.file("d/e/a", "here");
      const { ask } = worker(tree);
      const search = {
        op: "search",
        path: tree.root,
        wanted: { kind: "text", text: "here", ignoreCase: false },
        glob: null,
        context: 0,
        maxFound: 9,
        timeMs: 9_000,
      } as const;
      const found = { answer: { matches: [{ path: join(tree.root, "d/e/a") }] } };
      expect(ask(search)).toMatchObject(found);
      const moved = rightBefore(
        "canRead",
        () => renameSync(join(tree.root, "d"), join(tree.outside, "d")),
        nth,
      );
      expect(ask(search)).toMatchObject({ answer: { matches: [] } });
      expect(moved.happened()).toBe(true);
    }
  });
});

describe("a file that is replaced right before it is changed", () => {
  /** What comes to stand at the name is another file, made by somebody else. */
  function replacing() {
    const tree = new TestTree();
    const path = tree.file("a", "old");
    const theirs = (): void => {
      writeFileSync(join(tree.root, "theirs"), "theirs");
      renameSync(join(tree.root, "theirs"), path);
    };
    const now = (): readonly string[] => [readFileSync(path, "utf8"), ...readdirSync(tree.root)];
    return { tree, path, theirs, now, [Symbol.dispose]: () => tree[Symbol.dispose]() };
  }

  test("is not written over", () => {
    using one = replacing();
    const { ask, expectedAt } = worker(one.tree);
    const write = { op: "write", path: one.path, temporary: temporaryName(), folders: false } as const;
    const expected = expectedAt(one.path);
    rightBefore("sync", one.theirs);
    expect(ask({ ...write, expected }, "mine")).toMatchObject(CHANGED);
    expect(one.now()).toEqual(["theirs", "a"]);
  });

  test("nor is one that came to a name where nothing was, at the last moment too", () => {
    for (const [step, nth] of [
      ["sync", 1],
      ["isAt", 2],
      ["stat", 1],
    ] as const) {
      using tree = new TestTree();
      const path = join(tree.root, "a");
      const { ask } = worker(tree);
      const write = { op: "write", path, temporary: temporaryName(), folders: false } as const;
      rightBefore(step, () => writeFileSync(path, "theirs"), nth);
      expect(ask({ ...write, expected: { kind: "missing" } }, "mine")).toMatchObject(CHANGED);
      expect([readFileSync(path, "utf8"), readdirSync(tree.root)]).toEqual(["theirs", ["a"]]);
    }
  });

  test("is not removed", () => {
    using one = replacing();
    const { ask, expectedAt } = worker(one.tree);
    const expected = expectedAt(one.path);
    rightBefore("isAt", one.theirs, 2);
    expect(ask({ op: "remove", path: one.path, expected })).toMatchObject(CHANGED);
    expect(one.now()).toEqual(["theirs", "a"]);
  });

  test("is not moved", () => {
    using one = replacing();
    const { ask, expectedAt } = worker(one.tree);
    const expected = expectedAt(one.path);
    const to = join(one.tree.root, "b");
    const move = { op: "move", path: one.path, to, temporary: temporaryName(), folders: false } as const;
    // The walks to both ends look once each, and each end is held once more.
    rightBefore("isAt", one.theirs, 4);
    expect(ask({ ...move, expected })).toMatchObject(CHANGED);
    expect(one.now()).toEqual(["theirs", "a"]);
  });
});

test("what was moved in the place of what was meant is put back, file or folder, and told", () => {
  for (const kind of ["file", "folder"] as const) {
    using tree = new TestTree();
    const path = join(tree.root, "a");
    const make = (at: string, inside: string): void => {
      if (kind === "folder") mkdirSync(at);
      writeFileSync(kind === "folder" ? join(at, "in") : at, inside);
    };
    const inside = (at: string): string => readFileSync(kind === "folder" ? join(at, "in") : at, "utf8");
    make(path, "old");
    const { ask, expectedAt } = worker(tree);
    const [expected, to] = [expectedAt(path), join(tree.root, "b")];
    // The first look at that name is the walk's, the second is for the move itself.
    const swapped = rightBefore(
      "child",
      () => {
        renameSync(path, join(tree.root, "mine"));
        make(path, "theirs");
      },
      2,
      "b",
    );
    const move = { op: "move", path, to, temporary: temporaryName(), folders: false } as const;
    expect(ask({ ...move, expected })).toMatchObject(CHANGED);
    expect([swapped.happened(), inside(path), readdirSync(tree.root)]).toEqual([
      true,
      "theirs",
      ["a", "mine"],
    ]);
  }
});

test("what took the place of the temporary in the last moment is told, and no write was done", () => {
  for (const [old, nth] of [
    ["old", 2],
    [null, 1],
  ] as const) {
    using tree = new TestTree();
    const path = join(tree.root, "a");
    if (old !== null) tree.file("a", old);
    const { ask, expectedAt } = worker(tree);
    const [temporary, expected] = [temporaryName(), expectedAt(path)];
    rightBefore(
      "stat",
      () => {
        renameSync(join(tree.root, temporary), join(tree.root, "taken"));
        writeFileSync(join(tree.root, temporary), "theirs");
      },
      nth,
    );
    expect(ask({ op: "write", path, temporary, folders: false, expected }, "mine")).toMatchObject(CHANGED);
  }
});

test("a file that is written to while it is copied to another file system stays, and nothing comes of the copy", () => {
  using tree = new TestTree();
  using far = new TestTree("/dev/shm");
  const path = tree.file("a", "old");
  const { ask, expectedAt } = worker(tree, tree.profile({ files: far.profile().files }));
  const to = join(far.root, "a");
  const move = (): unknown =>
    ask({ op: "move", path, to, temporary: temporaryName(), folders: false, expected: expectedAt(path) });
  const write = rightBefore("sync", () => writeFileSync(path, "more"));
  expect(move()).toMatchObject(CHANGED);
  expect([write.happened(), readFileSync(path, "utf8"), readdirSync(far.root)]).toEqual([true, "more", []]);
  expect([move(), readFileSync(to, "utf8")]).toMatchObject([{ answer: { to } }, "more"]);
});

test("what is put in the place of the temporary becomes no file, whoever put it there", () => {
  using tree = new TestTree();
  const path = tree.file("a", "old");
  writeFileSync(join(tree.outside, "secret"), "OUTSIDE");
  const { ask, expectedAt } = worker(tree);
  const temporary = temporaryName();
  const expected = expectedAt(path);
  rightBefore("sync", () => {
    renameSync(join(tree.root, temporary), join(tree.root, "taken"));
    symlinkSync(join(tree.outside, "secret"), join(tree.root, temporary));
  });
  const write = { op: "write", path, temporary, folders: false, expected } as const;
  expect(ask(write, "mine")).toMatchObject(CHANGED);
  expect(readFileSync(path, "utf8")).toBe("old");
});

test("a link that is made anew while it is looked at is told as that, and not as what it says by now", () => {
  using tree = new TestTree();
  const path = join(tree.root, "l");
  symlinkSync("one", path);
  const { ask } = worker(tree);
  expect(ask({ op: "look", path, end: "itself" })).toMatchObject({ answer: { leadsTo: "one" } });
  rightBefore("canRead", () => {
    symlinkSync("two", join(tree.root, "m"));
    renameSync(join(tree.root, "m"), path);
  });
  expect(ask({ op: "look", path, end: "itself" })).toMatchObject(CHANGED);
});

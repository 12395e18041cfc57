import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { QuarantineRecord } from "../../../../src/host/launch/quarantine/record.ts";
import { temporaryNameOf } from "../../../../src/host/launch/quarantine/restore.ts";
import { pathFromBytes } from "../../../../src/profile/path.ts";
import { inventoryOf } from "../../../support/quarantine/inventory.ts";
import { Shelf } from "../../../support/quarantine/shelf.ts";

/** Each thing that a call can make, how it is told, and what a person is shown of it. */
const THINGS = [
  ["a file", (shelf: Shelf) => shelf.file("x", "content\n"), { kind: "file", files: 1, bytes: 8 }],
  ["an empty file", (shelf: Shelf) => shelf.file("x", ""), { kind: "file", files: 1, bytes: 0 }],
  ["a program", (shelf: Shelf) => shelf.file("x", "#!", 0o755), { kind: "file", files: 1, bytes: 2 }],
  ["a file of its owner alone", (shelf: Shelf) => shelf.file("x", "a", 0o400), { kind: "file" }],
  ["a link", (shelf: Shelf) => shelf.link("x", "../leads/nowhere"), { kind: "link", files: 1, bytes: 0 }],
  ["an empty folder", (shelf: Shelf) => shelf.folder("x", 0o750), { kind: "folder", files: 0, bytes: 0 }],
  [
    "a folder",
    (shelf: Shelf) => {
      shelf.file("x/a/b/file", "1");
      shelf.file("x/a/program", "22", 0o755);
      shelf.link("x/link", "/etc/hostname");
      shelf.folder("x/empty", 0o700);
      chmodSync(shelf.folder("x/shut"), 0o500);
      utimesSync(shelf.at("x/a/program"), 1_000, 2_000);
    },
    { kind: "folder", files: 3, bytes: 3 },
  ],
] as const;

describe("what is taken", () => {
  test.each(THINGS)("is out of its place and comes back as it was: %s", async (_, make, told) => {
    using shelf = new Shelf();
    make(shelf);
    const before = shelf.inventory();
    const record = await shelf.take("x");
    expect(record.items).toEqual([
      expect.objectContaining({
        ...told,
        path: shelf.at("x"),
        state: "taken",
        aside: null,
        problem: null,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    ]);
    expect(shelf.inventory()).toEqual([]);
    expect([shelf.quarantine.list(), shelf.quarantine.find(record.id)]).toEqual([[record], record]);
    expect(await shelf.quarantine.restore(record.id)).toEqual([{ path: shelf.at("x"), problem: null }]);
    expect(shelf.inventory()).toEqual(before);
    expect([shelf.quarantine.list(), shelf.held()]).toEqual([[], [expect.stringContaining(record.id)]]);
    expect(stateOf(shelf, record)).toEqual(["kept"]);
  });

  test.each(THINGS)("is gone for good once it is dropped: %s", async (_, make) => {
    using shelf = new Shelf();
    make(shelf);
    const record = await shelf.take("x");
    expect(await shelf.quarantine.drop(record.id)).toEqual([{ path: shelf.at("x"), problem: null }]);
    expect([shelf.inventory(), shelf.held()]).toEqual([[], [expect.stringContaining(record.id)]]);
    expect([shelf.quarantine.list(), stateOf(shelf, record)]).toEqual([[], ["dropped"]]);
    expect(await shelf.quarantine.restore(record.id)).toEqual([]);
  });

  test("is told by whose call it was, and one that was not there any more is told so", async () => {
    using shelf = new Shelf();
    shelf.file("a", "");
    const record = await shelf.take("a", "b", "no/folder");
    expect(record).toMatchObject({
      sessionId: "session",
      callId: "call",
      tool: "shell",
      workspace: "/somewhere",
    });
    expect(record.items.map(({ state, digest }) => [state, digest === null])).toEqual([
      ["taken", false],
      ["gone", true],
      ["gone", true],
    ]);
  });

  test("is given back one by one, as somebody says", async () => {
    using shelf = new Shelf();
    for (const name of ["a", "b", "c"]) shelf.file(name, name);
    const { id } = await shelf.take("a", "b", "c");
    expect(await shelf.quarantine.restore(id, [shelf.at("b")])).toEqual([
      { path: shelf.at("b"), problem: null },
    ]);
    expect(await shelf.quarantine.drop(id, [shelf.at("b"), shelf.at("c")])).toEqual([
      { path: shelf.at("c"), problem: null },
    ]);
    expect(readdirSync(shelf.tree)).toEqual(["b"]);
    expect(shelf.quarantine.list().map(({ items }) => items.map(({ state }) => state))).toEqual([
      ["taken", "kept", "dropped"],
    ]);
    expect(await shelf.quarantine.restore(id)).toEqual([{ path: shelf.at("a"), problem: null }]);
    expect(await shelf.quarantine.restore("00000000-0000-4000-8000-000000000000")).toEqual([]);
  });

  test("with a link on the way is not followed, and is told as live where anything stands behind that", async () => {
    using shelf = new Shelf();
    shelf.file("real/x", "other");
    shelf.link("way", "real");
    const problem = "its path contains a link";
    expect((await shelf.take("way/x")).items).toMatchObject([{ state: "live", problem }]);
    expect((await shelf.take("way/none")).items).toMatchObject([{ state: "gone" }]);
    expect(readFileSync(shelf.at("real/x"), "utf8")).toBe("other");
    expect((await shelf.take("real/x")).items).toMatchObject([{ state: "taken" }]);
  });

  test("loses neither set-user-id bits to nobody's notice nor gives them back", async () => {
    using shelf = new Shelf();
    shelf.file("x", "");
    chmodSync(shelf.at("x"), 0o6755);
    const { id } = await shelf.take("x");
    await shelf.quarantine.restore(id);
    expect(lstatSync(shelf.at("x")).mode & 0o7777).toBe(0o755);
  });

  test("comes back as a file of its own: whoever has the old one open changes nothing, nor who has a link to it", async () => {
    using shelf = new Shelf();
    shelf.file("x", "shown");
    linkSync(shelf.at("x"), shelf.at("other"));
    const { id } = await shelf.take("x");
    await shelf.quarantine.restore(id);
    appendFileSync(shelf.at("other"), " and more");
    expect(readFileSync(shelf.at("x"), "utf8")).toBe("shown");
  });
});

describe("nothing is given back", () => {
  const taken = async (): Promise<{ shelf: Shelf; id: string } & Disposable> => {
    const shelf = new Shelf();
    shelf.file("f/x", "mine");
    const { id } = await shelf.take("f/x");
    return { shelf, id, [Symbol.dispose]: () => shelf[Symbol.dispose]() };
  };

  test.each<[why: string, change: (shelf: Shelf) => void, problem: string]>([
    ["where a file stands", (shelf) => shelf.file("f/x", "other"), "another file is there now"],
    ["where a folder stands", (shelf) => shelf.folder("f/x"), "another file is there now"],
    ["where a link stands", (shelf) => shelf.link("f/x", "nowhere"), "another file is there now"],
    [
      "where its folder is gone",
      (shelf) => rmSync(shelf.at("f"), { recursive: true }),
      "its folder no longer exists",
    ],
    [
      "where a file stands in the folder's place",
      (shelf) => {
        rmSync(shelf.at("f"), { recursive: true });
        shelf.file("f", "");
      },
      "its folder no longer exists",
    ],
    [
      "where a link leads elsewhere",
      (shelf) => {
        renameSync(shelf.at("f"), shelf.at("g"));
        symlinkSync("g", shelf.at("f"));
      },
      "its folder no longer exists",
    ],
  ])("%s, and it is held until that is so no more", async (_, change, problem) => {
    using at = await taken();
    const { shelf, id } = at;
    change(shelf);
    const before = shelf.inventory();
    expect(await shelf.quarantine.restore(id)).toEqual([{ path: shelf.at("f/x"), problem }]);
    expect(shelf.inventory()).toEqual(before);
    rmSync(shelf.at("f"), { recursive: true, force: true });
    shelf.folder("f");
    expect(await shelf.quarantine.restore(id)).toEqual([{ path: shelf.at("f/x"), problem: null }]);
    expect(readFileSync(shelf.at("f/x"), "utf8")).toBe("mine");
  });

  test("that is not what it was, and it stays for people to look at", async () => {
    using at = await taken();
    const { shelf, id } = at;
    writeFileSync(join(shelf.state, "quarantine", id, "0"), "evil");
    expect(await shelf.quarantine.restore(id)).toEqual([
      { path: shelf.at("f/x"), problem: "it changed after it was quarantined" },
    ]);
    expect([readdirSync(shelf.at("f")), stateOf(shelf, { id })]).toEqual([[], ["taken"]]);
  });

  test("nor shown, that is not what it was: what a person sees is what would be given back", async () => {
    using shelf = new Shelf();
    shelf.file("x", "evil");
    shelf.file("y/a", "evil");
    const record = await shelf.take("x", "y");
    const shown = async (): Promise<readonly unknown[]> => [
      await shelf.quarantine.contentOf(record, 0),
      await shelf.quarantine.contentOf(record, 1),
    ];
    expect(await shown()).toMatchObject([
      { kind: "file" },
      { kind: "folder", entries: [{ name: "a", content: { kind: "file" } }] },
    ]);
    const held = join(shelf.state, "quarantine", record.id);
    writeFileSync(join(held, "0"), "fine");
    writeFileSync(join(held, "1/a"), "fine");
    expect(await shown()).toEqual([null, null]);
    writeFileSync(join(held, "0"), "evil");
    writeFileSync(join(held, "1/a"), "evil");
    expect(await shown()).toMatchObject([{ kind: "file" }, { kind: "folder" }]);
  });

  test.each<[how: string, name: string, attack: (shelf: Shelf, copy: string) => void]>([
    ["gives it another name", "x", (shelf, copy) => linkSync(shelf.at(copy), shelf.at("other"))],
    [
      "gives a file in it another name",
      "y",
      (shelf, copy) => linkSync(shelf.at(`${copy}/a`), shelf.at("other")),
    ],
    [
      "changes it",
      "x",
      (shelf, copy) => {
        if (lstatSync(shelf.at(copy)).size === 0) throw new Error("nothing was copied yet");
        const fd = openSync(shelf.at(copy), "r+");
        writeSync(fd, "EVIL");
        closeSync(fd);
      },
    ],
  ])(
    "that something changes before it is in its place, where no end of a call finds it: it %s",
    async (_, name, attack) => {
      using shelf = new Shelf();
      // To copy so much takes many turns.
      shelf.file(name === "x" ? name : `${name}/a`, Buffer.alloc(40_000_000, "x"));
      const { id } = await shelf.take(name);
      const copy = temporaryNameOf(id, 0);
      const restoring = shelf.quarantine.restore(id);
      while (!isDone(() => attack(shelf, copy))) await nextTurn();
      const problem = "it was changed or linked while it was restored";
      expect(await restoring).toEqual([{ path: shelf.at(name), problem }]);
      expect([existsSync(shelf.at(name)), stateOf(shelf, { id })]).toEqual([false, ["taken"]]);
      expect(await shelf.quarantine.restore(id)).toEqual([{ path: shelf.at(name), problem: null }]);
    },
  );

  test("that holds what can't be given back as it was: a FIFO; it is held whole", async () => {
    using shelf = new Shelf();
    shelf.file("x/a", "1");
    execFileSync("mkfifo", [shelf.at("x/fifo")]);
    const [before] = [inventoryOf(shelf.at("x"))];
    const { id, items } = await shelf.take("x");
    expect(items).toMatchObject([{ kind: "folder", state: "taken", digest: null }]);
    expect(await shelf.quarantine.restore(id)).toEqual([
      { path: shelf.at("x"), problem: expect.stringContaining("move it yourself") },
    ]);
    expect(inventoryOf(pathOf(shelf, id))).toEqual(before);
    expect(await shelf.quarantine.drop(id)).toEqual([{ path: shelf.at("x"), problem: null }]);
  });
});

describe("a record", () => {
  test("of which nothing has been held for a week is removed, and nothing else is", async () => {
    let now = Date.now();
    using shelf = new Shelf({ now: () => now });
    for (const name of ["a", "b", "c"]) shelf.file(name, "");
    const [kept, held] = [await shelf.take("a"), await shelf.take("b")];
    await shelf.quarantine.restore(kept.id);
    now += 6 * 24 * 60 * 60 * 1_000;
    await shelf.quarantine.sweep();
    expect(shelf.quarantine.find(kept.id)).not.toBeNull();
    now += 2 * 24 * 60 * 60 * 1_000;
    await shelf.quarantine.sweep();
    expect([shelf.quarantine.find(kept.id), shelf.quarantine.find(held.id)]).toEqual([null, held]);
    expect(readdirSync(join(shelf.state, "quarantine"))).toEqual([held.id]);
  });

  test("that can't be read is left alone, with what lies beside it", async () => {
    using shelf = new Shelf();
    shelf.file("a", "mine");
    const { id } = await shelf.take("a");
    const folder = join(shelf.state, "quarantine", id);
    writeFileSync(join(folder, "record.json"), "{");
    await shelf.quarantine.sweep();
    expect([shelf.quarantine.list(), readFileSync(join(folder, "0"), "utf8")]).toEqual([[], "mine"]);
  });

  test("of another name than its folder is none", async () => {
    using shelf = new Shelf();
    shelf.file("a", "mine");
    const { id } = await shelf.take("a");
    const other = "00000000-0000-4000-8000-000000000000";
    renameSync(join(shelf.state, "quarantine", id), join(shelf.state, "quarantine", other));
    expect([shelf.quarantine.find(id), shelf.quarantine.find(other)]).toEqual([null, null]);
  });

  test("and all that it holds is its user's alone", async () => {
    using shelf = new Shelf();
    shelf.file("a", "mine", 0o666);
    const { id } = await shelf.take("a");
    const folder = join(shelf.state, "quarantine", id);
    const modes = [join(folder, ".."), folder, join(folder, "record.json")].map(
      (path) => lstatSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });
});

describe("what was given back", () => {
  test("is known by exactly its path and content, for calls that began before", async () => {
    using shelf = new Shelf();
    for (const name of ["a", "b"]) shelf.file(name, "x");
    const began = Date.now();
    const { id, items } = await shelf.take("a", "b");
    const digest = items[0]?.digest ?? "";
    const kept = async (since: number) => [...(await shelf.another().keptSince(since))];
    expect(await kept(began)).toEqual([]);
    await shelf.quarantine.restore(id, [shelf.at("a")]);
    expect(await kept(began)).toEqual([[shelf.at("a"), new Set([digest])]]);
    // It was removed since and made again by a later call: an earlier yes is none to that.
    expect(await kept(Date.now() + 1_000)).toEqual([]);
  });
});

function isDone(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function stateOf(shelf: Shelf, { id }: Pick<QuarantineRecord, "id">): readonly string[] {
  return shelf.quarantine.find(id)?.items.map(({ state }) => state) ?? [];
}

function pathOf(shelf: Shelf, id: string) {
  return pathFromBytes(Buffer.from(join(shelf.state, "quarantine", id, "0"))) as ReturnType<Shelf["at"]>;
}

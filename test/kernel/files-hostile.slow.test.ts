import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { Session } from "../../src/index.ts";
import { type TestSession, testSession } from "../support/approval/test-session.ts";
import type { Job, Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { makeNames } from "../support/files/many-names.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("files that mean no good");

const standing = (prepare: (place: Place) => void): Promise<TestSession> => testSession(prepare);

/** What every tool says of one path. */
async function told(session: Session, path: string): Promise<Readonly<Record<string, unknown>>> {
  const said: Record<string, unknown> = {};
  const calls: readonly (readonly [string, object])[] = [
    ["read_file", { path }],
    ["list_dir", { path }],
    ["search_files", { path, text: "x" }],
    ["find_files", { path, pattern: "*" }],
    ["edit_file", { path, edits: [{ old_text: "a", new_text: "b" }] }],
    ["write_file", { path, content: "new" }],
  ];
  for (const [tool, input] of calls) said[tool] = toldOf(await session.call(tool, input));
  return said;
}

describe.skipIf(unusable !== null)("what is large", () => {
  it("a file of 1 GiB is read in pieces, and neither edited nor searched", async () => {
    await using at = await standing(({ ws }) => {
      const fd = openSync(`${ws}/huge`, "w");
      writeSync(fd, "first\nsecond\n");
      ftruncateSync(fd, 1024 ** 3);
      closeSync(fd);
    });
    const { session } = at;
    expect(toldOf(await session.call("read_file", { path: "ws:huge", lines: 2 }))).toMatchObject({
      text: "first\nsecond\n",
      size: 1024 ** 3,
      is_end: false,
    });
    expect(toldOf(await session.call("read_file", { path: "ws:huge", first_line: 3 }))).toMatchObject({
      kind: "binary",
    });
    expect(
      toldOf(
        await session.call("read_file", {
          path: "ws:huge",
          as: "base64",
          from_byte: 1024 ** 3 - 3,
          bytes: 100,
        }),
      ),
    ).toMatchObject({ data: "AAAA", bytes: 3 });
    const edits = [{ old_text: "first", new_text: "second" }];
    expect(toldOf(await session.call("edit_file", { path: "ws:huge", edits }))).toBe("FILE_TOO_LARGE");
    expect(toldOf(await session.call("search_files", { path: "ws:huge", text: "first" }))).toMatchObject({
      matches: [],
      passed_over: 1,
    });
    expect(toldOf(await session.call("move_file", { from: "ws:huge", to: "ws:there" }))).toMatchObject({
      to: "ws:there",
    });
    // The twin: a small one is edited.
    at.place.file("ws/small", "first\n");
    expect(toldOf(await session.call("edit_file", { path: "ws:small", edits }))).toMatchObject({
      replaced: 1,
    });
  });

  it("a text of more than 16 MiB is not written, nor made by an edit, however few its characters are", async () => {
    await using at = await standing(({ ws }) => writeFileSync(`${ws}/a`, "b"));
    const { session, place } = at;
    const write = (content: string) => session.call("write_file", { path: "ws:new", content });
    const edit = (text: string) =>
      session.call("edit_file", { path: "ws:a", edits: [{ old_text: "b", new_text: text }] });
    const [less, more] = [5, 6].map((mib) => "€".repeat(mib * 1024 ** 2));
    expect([toldOf(await write(more ?? "")), toldOf(await edit(more ?? ""))]).toEqual([
      "FILE_TOO_LARGE",
      "FILE_TOO_LARGE",
    ]);
    expect([readdirSync(place.ws), place.read("ws/a")]).toEqual([["a"], "b"]);
    const bytes = 15 * 1024 ** 2;
    expect([toldOf(await write(less ?? "")), toldOf(await edit(less ?? ""))]).toMatchObject([
      { bytes },
      { bytes },
    ]);
  });

  it("a folder of 100,000 names is told in pages, and found in up to a bound", {
    timeout: 120_000,
  }, async () => {
    await using at = await standing(({ ws }) => {
      mkdirSync(`${ws}/many`);
      makeNames(
        `${ws}/many`,
        Array.from({ length: 100_000 }, (_, at) => String(100_000 + at)),
      );
    });
    const { session } = at;
    const page = (after?: string) => session.call("list_dir", { path: "ws:many", limit: 1000, after });
    const first = await page();
    const value = first.kind === "done" ? first.value : null;
    expect(value?.entries.map(({ name }) => name)).toEqual(
      Array.from({ length: 1000 }, (_, index) => String(100_000 + index)),
    );
    expect(value).toMatchObject({ total: 100_000, is_end: false });
    expect(toldOf(await page("198999"))).toMatchObject({ total: 100_000, is_end: true });
    const found = await session.call("find_files", { path: "ws:many", pattern: "*", limit: 1000 });
    expect(found.kind === "done" ? [found.value.found.length, found.value.stopped] : null).toEqual([
      1000,
      "found",
    ]);
    expect(toldOf(await session.call("delete_file", { path: "ws:many" }))).toBe("FILE_NOT_EMPTY");
    expect(toldOf(await session.call("find_files", { path: "ws:many", pattern: "*77777" }))).toMatchObject({
      found: [{ path: "ws:many/177777" }],
    });
  });

  it("a line of 10 MB is read as its beginning, and searched as far as a line is looked at", async () => {
    await using at = await standing((place) =>
      place.file("ws/line", `needle${"x".repeat(10_000_000)}needle\nlast`),
    );
    const { session } = at;
    const read = await session.call("read_file", { path: "ws:line" });
    const value = read.kind === "done" && read.value.kind === "text" ? read.value : null;
    expect(value).toMatchObject({ is_line_cut: true, is_end: false, size: 10_000_017 });
    expect(value?.text.length).toBe(256 * 1024);
    const search = await session.call("search_files", { path: "ws:line", regex: "needle|last", context: 10 });
    const matches = search.kind === "done" ? search.value.matches : [];
    expect(matches.map(({ line, is_cut }) => [line, is_cut])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(JSON.stringify(search).length).toBeLessThan(10_000);
  });

  it("thousands of matches are told up to a bound, each cut", async () => {
    await using at = await standing((place) => place.file("ws/hits", `${"x".repeat(5_000)}\n`.repeat(3_000)));
    const search = await at.session.call("search_files", { path: "ws:", text: "x", limit: 500, context: 10 });
    const value = search.kind === "done" ? search.value : null;
    expect([value?.matches.length, value?.stopped]).toEqual([500, "found"]);
    expect(JSON.stringify(value).length).toBeLessThan(500 * 21 * 410 + 100_000);
  });
});

describe.skipIf(unusable !== null)("what is no text", () => {
  it("invalid UTF-8 and NUL are told as binary, and never edited", async () => {
    await using at = await standing((place) => {
      place.file("ws/latin1", Buffer.from("caf\xe9 x\n", "latin1"));
      place.file("ws/nul", "a\0x");
      place.file("ws/bom", "\ufeffa x");
    });
    for (const name of ["latin1", "nul"]) {
      expect(toldOf(await at.session.call("read_file", { path: name }))).toMatchObject({ kind: "binary" });
      const edits = [{ old_text: "a", new_text: "b" }];
      expect(toldOf(await at.session.call("edit_file", { path: name, edits }))).toBe("FILE_WRONG_KIND");
      expect(toldOf(await at.session.call("search_files", { path: name, text: "x" }))).toMatchObject({
        passed_over: 1,
      });
    }
    expect(readFileSync(`${at.place.ws}/latin1`, "latin1")).toBe("caf\xe9 x\n");
    // The twin: a mark at the beginning is text, and stays.
    expect(toldOf(await at.session.call("read_file", { path: "bom" }))).toMatchObject({ text: "\ufeffa x" });
  });

  it("a FIFO, a socket, a device and links to them are told by kind, and never opened", async () => {
    const server = createServer();
    await using at = await standing(({ ws }) => {
      spawnSync("/usr/bin/mkfifo", [`${ws}/fifo`]);
      server.listen(`${ws}/socket`);
      symlinkSync("fifo", `${ws}/link`);
    });
    if (notRoot === null) spawnSync("/bin/mknod", [`${at.place.ws}/device`, "c", "1", "5"]);
    const names = readdirSync(at.place.ws).toSorted();
    for (const name of names) {
      expect([name, await told(at.session, name)]).toEqual([
        name,
        {
          read_file: "FILE_WRONG_KIND",
          list_dir: "FILE_WRONG_KIND",
          search_files: "FILE_WRONG_KIND",
          find_files: "FILE_WRONG_KIND",
          edit_file: "FILE_WRONG_KIND",
          write_file: "FILE_WRONG_KIND",
        },
      ]);
    }
    const listed = await at.session.call("list_dir", { path: "ws:" });
    const kinds = listed.kind === "done" ? listed.value.entries.map(({ name, kind }) => [name, kind]) : [];
    expect(kinds).toEqual(names.map((name) => [name, name === "link" ? "link" : "other"]));
    expect(toldOf(await at.session.call("search_files", { text: "x" }))).toMatchObject({ matches: [] });
    server.close();
  });
});

describe.skipIf(unusable !== null)("names", () => {
  const NAMES: readonly Buffer[] = [
    "line\nbreak",
    "tab\tbell\x07escape\x1b[2J",
    "\u202egnp.exe\u2066",
    "zero\u200bwidth",
    '"quoted"',
    '"',
    'in"side',
    '"caf\\udce9"',
    "-rf",
    "~",
    " ",
    "a:b",
    "\\u0041",
    "e\u0301 and \u00e9",
  ].map((name) => Buffer.from(name));
  const BYTES: readonly Buffer[] = ["caf\xe9", "\xff\xfe", '"\xff', "\xed\xa0\x80", "\x80\n"].map((name) =>
    Buffer.from(name, "latin1"),
  );

  it("of whatever bytes, as a model is told them, lead back to their files through text that is whole", async () => {
    await using at = await standing(({ ws }) => {
      mkdirSync(`${ws}/sub`);
      for (const [index, name] of [...NAMES, ...BYTES].entries())
        writeFileSync(Buffer.concat([Buffer.from(`${ws}/sub/`), name]), `content ${index}\n`);
    });
    const { session, place } = at;
    const asSent = <Value>(value: Value): Value => JSON.parse(Buffer.from(JSON.stringify(value)).toString());
    const listed = await session.call("list_dir", { path: "ws:sub" });
    const entries = asSent(listed.kind === "done" ? listed.value.entries : []);
    const found = await session.call("find_files", { path: "ws:sub", pattern: "*" });
    const paths = asSent(found.kind === "done" ? found.value.found : []).map(({ path }) => path);
    expect(entries.every(({ name }) => name.isWellFormed())).toBe(true);
    expect(entries.map(({ name }) => `ws:sub/${name}`).toSorted()).toEqual(paths.toSorted());
    const contents = [];
    for (const path of paths) {
      const read = asSent(await session.call("read_file", { path }));
      if (read.kind === "done" && read.value.kind === "text") {
        expect(read.value.path).toBe(path);
        contents.push(read.value.text);
      }
    }
    expect(contents.toSorted()).toEqual(
      [...NAMES, ...BYTES].map((_, index) => `content ${index}\n`).toSorted(),
    );
    const pages = [];
    for (let after: string | undefined; pages.length < 50; ) {
      const page = await session.call("list_dir", { path: "ws:sub", limit: 1, after });
      const value = page.kind === "done" ? asSent(page.value) : null;
      after = value?.entries[0]?.name;
      pages.push(after);
      if (value?.is_end !== false) break;
    }
    expect(pages).toEqual(entries.map(({ name }) => name));
    // What changes a file finds it as well.
    for (const path of paths) {
      expect(toldOf(await session.call("write_file", { path, content: "new" }))).toMatchObject({
        path,
        is_new: false,
      });
      expect(toldOf(await session.call("delete_file", { path }))).toMatchObject({ path });
    }
    expect(readdirSync(`${place.ws}/sub`)).toEqual([]);
  });

  it("that are no whole text, or too long, are refused", async () => {
    await using at = await standing(() => undefined);
    const said: unknown[] = [];
    for (const path of ["caf\udce9", "x\0", "a".repeat(256), `${"a/".repeat(2_100)}b`, '"a\\u0000"', ""])
      said.push(toldOf(await at.session.call("read_file", { path })));
    expect(said).toEqual([
      "USAGE",
      "FILE_BAD_PATH",
      "FILE_BAD_PATH",
      "FILE_BAD_PATH",
      "FILE_NOT_FOUND",
      "USAGE",
    ]);
  });
});

describe.skipIf(unusable !== null)("what changes under the hands", () => {
  it("a file that becomes a folder while the question waits is not written over, and asked about as what it is", async () => {
    await using at = await standing((place) => place.file("ws/a", "old"));
    const child = spawn("/bin/sh", [
      "-c",
      'cd "$0" && while :; do rm -rf a; mkdir a; touch a/in; rm -rf a; echo old > a; done',
      at.place.ws,
    ]);
    try {
      const said = new Map<unknown, number>();
      for (let index = 0; index < 300; index += 1) {
        const outcome = toldOf(await at.session.call("write_file", { path: "ws:a", content: "new" }));
        const word = typeof outcome === "string" ? outcome : "done";
        said.set(word, (said.get(word) ?? 0) + 1);
      }
      const words = [...said.keys()].filter((word) => word !== "done").map(String);
      expect(["FILE_CHANGED", "FILE_WRONG_KIND", "FILE_NOT_FOUND"]).toEqual(expect.arrayContaining(words));
      expect(said.get("FILE_WRONG_KIND") ?? 0).toBeGreaterThan(0);
    } finally {
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    }
    expect(readdirSync(at.place.ws).filter((name) => name !== "a")).toEqual([]);
  });

  it.each([
    ["at once", false],
    ["while calls find nothing there", true],
  ])(
    "a root that is deleted or replaced while the session lives leads nowhere else, %s",
    async (_, isCalled) => {
      await using at = await standing((place) => {
        place.file("ws/a", "granted");
        place.file("outside/a", "outside");
      });
      const { session, place } = at;
      const read = async () => toldOf(await session.call("read_file", { path: "ws:a" }));
      const write = async () => toldOf(await session.call("write_file", { path: "ws:b", content: "" }));
      const between = async () => (isCalled ? [await read(), await write()] : []);
      expect(await read()).toMatchObject({ text: "granted" });
      renameSync(place.ws, `${place.top}/aside`);
      const gone = await between();
      place.folder("ws");
      place.file("ws/a", "another");
      const replaced = [await read(), await write()];
      rmSync(place.ws, { recursive: true });
      const goneAgain = await between();
      symlinkSync(place.outside, place.ws);
      const linked = [await read(), await write()];
      rmSync(place.ws);
      for (const said of [gone, goneAgain])
        expect(said).toEqual(isCalled ? ["FILE_NOT_FOUND", "DENIED"] : []);
      expect(replaced).toMatchObject([{ text: "another" }, { is_new: true }]);
      expect(linked).toEqual(["FILE_NOT_FOUND", "DENIED"]);
      expect(readdirSync(`${place.top}/aside`)).toEqual(["a"]);
      expect(readdirSync(place.outside)).toEqual(["a"]);
    },
  );
});

describe.skipIf(unusable !== null).each(PEOPLE)("where $name is refused by the system", (person) => {
  /** What the tools told, in a supervisor of that person's with mounts of its own below the root. */
  async function run(place: Place, mounting: string, steps: Job["steps"]): Promise<readonly Reply[]> {
    const { uid, gid } = person;
    const become = uid === 0 ? "" : `/usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups --`;
    const under = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", `${mounting} && exec ${become} "$@"`, place.ws];
    const [made, ...replies] = await place.run({ under, startedBy: CALLER, job: { calls: [], steps } });
    expect(made).toEqual({ kind: "made" });
    return replies;
  }
  const tellingOf = (replies: readonly Reply[]) =>
    replies.map((reply) => (reply.kind === "told" ? reply.told : reply));

  itUnless(notRoot, "a full disk leaves the old content and nothing beside it", async () => {
    using place = new Place(person);
    place.folder("ws/small");
    const write = (name: string, size: number) => ({
      tool: "write_file",
      input: { path: `ws:small/${name}`, content: "x".repeat(size) },
    });
    const replies = await run(place, 'mount -n -t tmpfs -o size=256k,mode=1777 none "$0/small"', [
      write("a", 10),
      write("a", 400_000),
      write("b", 400_000),
      write("deep/er/c", 400_000),
      { tool: "move_file", input: { from: "ws:big", to: "ws:small/big" } },
      { tool: "list_dir", input: { path: "ws:small" } },
      { tool: "read_file", input: { path: "ws:small/a" } },
    ]);
    expect(tellingOf(replies)).toMatchObject([
      { is_new: true },
      "FILE_DISK_FULL",
      "FILE_DISK_FULL",
      "FILE_DISK_FULL",
      "FILE_NOT_FOUND",
      { entries: [{ name: "a", bytes: 10 }] },
      { text: "x".repeat(10) },
    ]);
  });

  itUnless(notRoot, "a file that does not fit where it is moved to stays where it is", async () => {
    using place = new Place(person);
    place.folder("ws/small");
    place.file("ws/big", "x".repeat(400_000));
    const replies = await run(place, 'mount -n -t tmpfs -o size=256k,mode=1777 none "$0/small"', [
      { tool: "move_file", input: { from: "ws:big", to: "ws:small/big" } },
      { tool: "list_dir", input: { path: "ws:small" } },
    ]);
    expect(tellingOf(replies)).toMatchObject(["FILE_DISK_FULL", { entries: [] }]);
    expect(place.read("ws/big").length).toBe(400_000);
  });

  itUnless(notRoot, "what is mounted read-only is not changed, and is read", async () => {
    using place = new Place(person);
    place.folder("ws/fixed");
    place.file("ws/fixed/a", "old");
    const mounting = 'mount -n --bind "$0/fixed" "$0/fixed" && mount -n -o remount,bind,ro "$0/fixed"';
    const replies = await run(place, mounting, [
      { tool: "write_file", input: { path: "ws:fixed/a", content: "new" } },
      { tool: "write_file", input: { path: "ws:fixed/b", content: "new" } },
      { tool: "delete_file", input: { path: "ws:fixed/a" } },
      { tool: "move_file", input: { from: "ws:fixed/a", to: "ws:a" } },
      { tool: "read_file", input: { path: "ws:fixed/a" } },
    ]);
    expect(tellingOf(replies)).toMatchObject([
      "FILE_READ_ONLY",
      "FILE_READ_ONLY",
      "FILE_READ_ONLY",
      "FILE_READ_ONLY",
      { text: "old" },
    ]);
    expect(readdirSync(place.ws)).toEqual(["fixed"]);
  });

  it("a folder without permission is told as the system tells it", async () => {
    using place = new Place(person);
    place.folder("ws/closed");
    place.file("ws/closed/a", "x");
    place.file("ws/open", "x");
    chmodSync(`${place.ws}/closed`, 0o000);
    const steps = ["read_file", "list_dir"].map((tool) => ({ tool, input: { path: "ws:closed" } }));
    const inner = [
      { tool: "read_file", input: { path: "ws:closed/a" } },
      { tool: "write_file", input: { path: "ws:closed/b", content: "" } },
      { tool: "search_files", input: { text: "x" } },
    ];
    const [, ...replies] = await place.run({ job: { calls: [], steps: [...steps, ...inner] } });
    chmodSync(`${place.ws}/closed`, 0o755);
    // Root too: it has no capability in the sandbox.
    expect(tellingOf(replies)).toMatchObject([
      "FILE_WRONG_KIND",
      "FILE_SYSTEM",
      "FILE_SYSTEM",
      "FILE_SYSTEM",
      { matches: [{ path: "ws:open" }] },
    ]);
    expect(readdirSync(`${place.ws}/closed`)).toEqual(["a"]);
  });
});

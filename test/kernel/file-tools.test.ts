import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Presentation } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { rootsIn } from "../support/files/notes.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("the tools on files");

const nothing = (): void => undefined;

/** A session over the usual roots. */
function standing(prepare: (place: Place) => void = nothing, given: Omit<Given, "settings"> = {}) {
  return testSession(
    (place) => {
      rootsIn(place);
      prepare(place);
    },
    { ...given, settings: (place) => ({ sandbox: { paths: rootsIn(place) } }) },
  );
}

describe.skipIf(unusable !== null)("the roots of a config", () => {
  it("a write to a root that asks is asked about by where it goes, and done after a yes (S1-15, S1-17, S1-34)", async () => {
    await using at = await standing();
    const outcome = await at.session.call("write_file", { path: "notes:report.md", content: "first\n" });
    expect(toldOf(outcome)).toEqual({ path: "notes:report.md", bytes: 6, is_new: true });
    expect(at.place.read("notes/report.md")).toBe("first\n");
    expect(at.asked.requests).toMatchObject([
      {
        tool: "write_file",
        risk: "write",
        description: "write to notes:report.md",
        reason: "writing in `notes` needs approval",
        covers: "write_file on notes:report.md, with any other arguments",
      },
    ]);
  });

  it("a write to one that does not ask, and a read of one that does not, ask nobody (S1-17)", async () => {
    await using at = await standing((place) => place.file("notes/a.md", "old\n"));
    const { session } = at;
    expect(toldOf(await session.call("write_file", { path: "cache:x/y", content: "" }))).toMatchObject({
      path: "cache:x/y",
    });
    expect(toldOf(await session.call("read_file", { path: "notes:a.md" }))).toMatchObject({ text: "old\n" });
    expect(at.asked.requests).toEqual([]);
  });

  it("a read of one that asks is asked about, and tells nothing after a no (S1-17)", async () => {
    const handler = new Asked(({ description }) => ({ approved: description.endsWith("yes") }));
    await using at = await standing(
      (place) => {
        place.file("diary/yes", "told\n");
        place.file("diary/no", "untold\n");
      },
      { handler },
    );
    expect(toldOf(await at.session.call("read_file", { path: "diary:yes" }))).toMatchObject({
      text: "told\n",
    });
    expect(await at.session.call("read_file", { path: "diary:no" })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
    });
    expect(handler.requests.map(({ description }) => description)).toEqual([
      "read diary:yes",
      "read diary:no",
    ]);
  });

  it("what lies in no root is blocked in every mode, and so is a write to what is there to read (S1-12, S1-16)", async () => {
    for (const mode of ["interactive", "approve_all", "strict"] as const) {
      await using at = await standing((place) => place.file("outside/x", "secret"), { options: { mode } });
      const { session, place } = at;
      for (const path of [`${place.outside}/x`, "../outside/x", "cache:../outside/x", "/etc/shadow"])
        expect([path, (await session.call("read_file", { path })).kind]).toEqual([path, "denied"]);
      expect(await session.call("write_file", { path: "docs:x", content: "" })).toMatchObject({
        kind: "denied",
      });
      expect(existsSync(`${place.top}/docs/x`)).toBe(false);
      expect(at.asked.requests).toEqual([]);
    }
  });

  it("modes answer what a root asks: approve-all says yes, strict says no (S1-12, S1-32)", async () => {
    for (const [mode, kind] of [
      ["approve_all", "done"],
      ["strict", "denied"],
    ] as const) {
      await using at = await standing(nothing, { options: { mode } });
      const written = await at.session.call("write_file", { path: "notes:a.md", content: "x" });
      expect([mode, written.kind]).toEqual([mode, kind]);
      const cached = await at.session.call("write_file", { path: "cache:a", content: "x" });
      expect(cached.kind).toBe("done");
    }
  });

  it("suffixes hold for new names and for old ones, wherever a link leads", async () => {
    await using at = await standing((place) => {
      place.file("notes/key.pem", "secret");
      place.file("notes/ok.txt", "open");
      symlinkSync("key.pem", `${place.top}/notes/link.txt`);
      symlinkSync("ok.txt", `${place.top}/notes/good.txt`);
    });
    const { session } = at;
    for (const path of ["notes:key.pem", "notes:link.txt"])
      expect(await session.call("read_file", { path })).toMatchObject({
        kind: "denied",
        code: "DENIED",
        denials: [{ operation: "read", target: `${at.place.top}/notes/key.pem`, certainty: "certain" }],
      });
    expect(toldOf(await session.call("read_file", { path: "notes:good.txt" }))).toMatchObject({
      path: "notes:ok.txt",
      text: "open",
    });
    expect(await session.call("write_file", { path: "notes:new.sh", content: "" })).toMatchObject({
      kind: "denied",
      code: "DENIED",
    });
    expect(at.asked.requests).toEqual([]);
  });

  it("paths are read by the name of a root, from the folder of calls, and from `/`", async () => {
    await using at = await standing((place) => place.file("ws/a b", "here"));
    for (const path of ["ws:a b", "a b", "./a b", `${at.place.ws}/a b`, "x/../a b"])
      expect([path, toldOf(await at.session.call("read_file", { path }))]).toMatchObject([
        path,
        path.startsWith("x/") ? "FILE_NOT_FOUND" : { path: "ws:a b", text: "here" },
      ]);
  });
});

describe.skipIf(unusable !== null)("what a person reads before a change", () => {
  const shown: Presentation[] = [];
  const looking = () =>
    new Asked(async (_, { present }) => {
      shown.push(await present());
      return { approved: true };
    });

  it("is the diff that is then made, and where (S1-6, S1-10)", async () => {
    shown.length = 0;
    await using at = await standing((place) => place.file("notes/a.md", "one\ntwo\n", 0o640), {
      handler: looking(),
    });
    await at.session.call("edit_file", {
      path: "./../notes/a.md",
      edits: [{ old_text: "two", new_text: "three" }],
    });
    expect(shown).toMatchObject([
      { type: "diff", about: `${at.place.top}/notes/a.md`, content: "@@ -1,2 +1,2 @@\n one\n-two\n+three\n" },
    ]);
    expect(at.place.read("notes/a.md")).toBe("one\nthree\n");
    expect(statSync(`${at.place.top}/notes/a.md`).mode & 0o777).toBe(0o640);
  });

  it("is where it really happens, whatever links the path that was written leads through", async () => {
    shown.length = 0;
    await using at = await standing(
      (place) => {
        place.folder("notes/real");
        place.file("notes/real/a.md", "one\n");
        place.file("notes/real/b.md", "two\n");
        symlinkSync("real", `${place.top}/notes/by`);
      },
      { handler: looking() },
    );
    const { session, place, asked } = at;
    const real = `${place.top}/notes/real`;
    await session.call("write_file", { path: "notes:by/a.md", content: "1\n" });
    await session.call("delete_file", { path: "notes:by/a.md" });
    await session.call("move_file", { from: "notes:by/b.md", to: "notes:by/c.md" });
    expect(shown.map(({ about, content }) => about ?? content)).toEqual([
      `${real}/a.md`,
      `Deletes the file \`${real}/a.md\` with its 2 bytes`,
      `Moves \`${real}/b.md\`\nto    \`${real}/c.md\``,
    ]);
    expect(asked.requests.map(({ description }) => description)).toEqual([
      "write to notes:real/a.md",
      "delete notes:real/a.md",
      "move notes:real/b.md to notes:real/c.md",
    ]);
    expect(readdirSync(real)).toEqual(["c.md"]);
  });

  it("is asked anew when the file changed while they read: the yes was to another change", async () => {
    let times = 0;
    const handler = new Asked(async (_, { present }) => {
      times += 1;
      shown.push(await present());
      if (times === 1) at.place.file("notes/a.md", "changed\n");
      return { approved: true };
    });
    shown.length = 0;
    await using at = await standing((place) => place.file("notes/a.md", "one\n"), { handler });
    const outcome = await at.session.call("write_file", { path: "notes:a.md", content: "new\n" });
    expect([outcome.kind, times]).toEqual(["done", 2]);
    expect(shown.map(({ content }) => content)).toEqual([
      "@@ -1,1 +1,1 @@\n-one\n+new\n",
      "@@ -1,1 +1,1 @@\n-changed\n+new\n",
    ]);
  });

  it("is nothing where the change can't be made: nobody is asked about it", async () => {
    await using at = await standing((place) => place.file("notes/a.md", "one one\n"));
    const { session } = at;
    const edit = (old_text: string) =>
      session.call("edit_file", { path: "notes:a.md", edits: [{ old_text, new_text: "x" }] });
    expect(toldOf(await edit("two"))).toBe("FILE_NO_MATCH");
    expect(toldOf(await edit("one"))).toBe("FILE_NO_MATCH");
    expect(toldOf(await session.call("delete_file", { path: "notes:b.md" }))).toBe("FILE_NOT_FOUND");
    expect(toldOf(await session.call("move_file", { from: "notes:a.md", to: "notes:a.md" }))).toBe(
      "FILE_EXISTS",
    );
    expect(at.asked.requests).toEqual([]);
    expect(at.place.read("notes/a.md")).toBe("one one\n");
  });

  it("covers, for the session, one file and every content (S1-17, S1-29, S1-30)", async () => {
    await using at = await standing(nothing, {
      handler: new Asked(() => ({ status: "approved", scope: "session", by: "ann" })),
    });
    const write = (path: string, content: string) => at.session.call("write_file", { path, content });
    await write("notes:a.md", "1");
    await write("notes:a.md", "2");
    await write("notes:b.md", "3");
    expect(at.asked.requests.map(({ description }) => description)).toEqual([
      "write to notes:a.md",
      "write to notes:b.md",
    ]);
    expect((await at.session.grants()).length).toBe(2);
    expect(at.place.read("notes/a.md")).toBe("2");
    expect((await at.session.call("delete_file", { path: "notes:a.md" })).kind).toBe("done");
    expect(at.asked.requests.length).toBe(3);
  });
});

describe.skipIf(unusable !== null)("rules on file tools", () => {
  it("see where a path leads, however it is written", async () => {
    const settings = (place: Place) => ({
      sandbox: { paths: rootsIn(place) },
      approval: {
        rules: [{ pattern: "read_file", args: { path: "cache:secret/*" }, action: "deny" }],
      },
    });
    await using at = await testSession(
      (place) => {
        rootsIn(place);
        mkdirSync(`${place.top}/cache/secret`);
        place.file("cache/secret/x", "s");
        place.file("cache/open", "o");
        symlinkSync("secret/x", `${place.top}/cache/link`);
      },
      { settings },
    );
    const read = (path: string) => at.session.call("read_file", { path });
    for (const path of ["cache:secret/x", "cache:./y/../secret/x", "cache:link", "../cache/secret//x"])
      expect([path, (await read(path)).kind]).toEqual([path, path.includes("/y/") ? "failed" : "denied"]);
    expect((await read("cache:open")).kind).toBe("done");
  });

  it("an allow of the project does not give what a root asks about", async () => {
    const settings = (place: Place) => ({
      sandbox: { paths: rootsIn(place) },
      approval: { rules: [{ pattern: "write_file", action: "allow" }] },
    });
    await using at = await testSession(rootsIn, {
      settings,
      handler: new Asked(() => ({ approved: false })),
    });
    expect(await at.session.call("write_file", { path: "notes:a.md", content: "" })).toMatchObject({
      kind: "denied",
    });
    expect(at.asked.requests.length).toBe(1);
    expect(readdirSync(`${at.place.top}/notes`)).toEqual([]);
  });
});

describe.skipIf(unusable !== null)("the process that works on files", () => {
  it("has receipts like any program, proven once and kept", async () => {
    await using at = await standing((place) => place.file("ws/a", "x"));
    const first = await at.session.call("read_file", { path: "a" });
    const second = await at.session.call("read_file", { path: "a" });
    for (const outcome of [first, second])
      expect(outcome).toMatchObject({
        kind: "done",
        receipt: {
          backend: "bubblewrap",
          enforcement: { files: { kind: "enforced" }, network: { kind: "enforced" } },
          mountChanges: [],
        },
      });
    // One that looks, with what a yes would give, and one that reads.
    expect(at.journal.of("walls.proven").length).toBe(2);
  });

  it("that is killed during a call fails that call alone, and the next call has another", async () => {
    await using at = await standing((place) => {
      for (const name of ["a", "b"]) writeFileSync(`${place.ws}/${name}`, "x".repeat(1000));
    });
    const { session } = at;
    await session.call("read_file", { path: "a" });
    const controller = new AbortController();
    const searching = session.call(
      "search_files",
      { regex: "^(x+x+)+y$", path: "ws:" },
      { signal: controller.signal },
    );
    const timer = setTimeout(() => controller.abort(), 500);
    expect((await searching).kind).toBe("failed");
    clearTimeout(timer);
    expect(toldOf(await session.call("read_file", { path: "b" }))).toMatchObject({ size: 1000 });
    // The one that looks is as it was.
    expect(at.journal.of("walls.proven").length).toBe(3);
  });

  it("sees nothing beside the roots, and no more of them than its tools may", async () => {
    await using at = await standing((place) => {
      place.file("diary/x", "private");
      place.file("outside/x", "secret");
      chmodSync(`${place.top}/outside/x`, 0o644);
    });
    expect(toldOf(await at.session.call("search_files", { text: "private" }))).toMatchObject({
      matches: [],
    });
    expect(toldOf(await at.session.call("find_files", { pattern: "**/x" }))).toMatchObject({ found: [] });
  });
});

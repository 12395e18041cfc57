import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("what file tools make");

/** What a receipt tells of one call. */
async function madeBy(call: Promise<object>): Promise<unknown> {
  const outcome = await call;
  return "receipt" in outcome ? Reflect.get(Object(outcome.receipt), "appeared") : null;
}

describe.skipIf(unusable !== null)("what file tools make that others obey", () => {
  it("git.exec: is told by the call that made it, once, with what git runs by it", async () => {
    await using at = await testSession(() => undefined, {
      settings: ({ ws }) => ({
        sandbox: { appeared: "report", paths: { ws: { root: ws, mode: "rw", write_approval: false } } },
      }),
    });
    const write = (path: string, content: string) =>
      madeBy(at.session.call("write_file", { path: `ws:${path}`, content }));
    const nothing = { found: [], unknown: null };
    expect(await write("t/config", '[core]\n\tfsmonitor = "touch here"\n')).toEqual(nothing);
    expect(await write("t/objects/x", "")).toEqual(nothing);
    expect(await write("t/refs/x", "")).toEqual(nothing);
    const { ws } = at.place;
    expect(await write("t/HEAD", "ref: refs/heads/x\n")).toMatchObject({
      found: [{ path: join(ws, "t"), kind: "repository", runs: ["core.fsmonitor"] }],
      unknown: null,
    });
    expect(await write("plain", "x")).toEqual(nothing);
    expect(await write("v/.git", "gitdir: ../t\n")).toMatchObject({
      found: [{ path: join(ws, "v/.git"), kind: "repository" }],
    });
  });

  it("git.exec: repositories that came after the first write are protected in the next, whoever made them", async () => {
    await using at = await testSession(() => undefined, {
      settings: ({ ws }) => ({ sandbox: { paths: { ws: { root: ws, mode: "rw", write_approval: false } } } }),
    });
    const { ws } = at.place;
    const write = async (path: string) => {
      const told = toldOf(await at.session.call("write_file", { path: `ws:${path}`, content: "[core]\n" }));
      return typeof told === "string" ? told : "done";
    };
    expect([await write("a"), await write("R/config"), await write("scripts/pre-push")]).toEqual([
      "done",
      "done",
      "done",
    ]);
    rmSync(join(ws, "R"), { recursive: true });
    // By a call of the same session, by its own tools, and by a person.
    expect(await at.session.call("shell", { argv: ["git", "init", "-q", "--bare", "R"] })).toMatchObject({
      kind: "done",
      receipt: { appeared: { found: [{ path: join(ws, "R") }] } },
    });
    expect([await write("R/config"), await write("R/hooks/pre-commit"), await write("R/HEAD")]).toEqual([
      "DENIED",
      "DENIED",
      "done",
    ]);
    for (const name of ["objects/x", "refs/x", "HEAD"]) expect(await write(`S/${name}`)).toBe("done");
    expect(await write("S/config")).toBe("DENIED");
    spawnSync("git", ["init", "-q", join(ws, "own")]);
    spawnSync("git", ["-C", join(ws, "own"), "config", "core.hooksPath", "../scripts"]);
    expect([
      await write("own/.git/commondir"),
      await write("scripts/pre-push"),
      await write("own/f"),
    ]).toEqual(["DENIED", "DENIED", "done"]);
    rmSync(join(ws, "own"), { recursive: true });
    expect(await write("scripts/pre-push")).toBe("done");
  });

  it("git.exec: a protected link to nothing keeps nobody from writing elsewhere, nor lets anybody make what it names", async () => {
    await using at = await testSession(
      ({ ws }) => {
        mkdirSync(join(ws, "d"));
        symlinkSync("../nothere", join(ws, "d/.envrc"));
      },
      {
        settings: ({ ws }) => ({
          sandbox: { paths: { ws: { root: ws, mode: "rw", write_approval: false } } },
        }),
      },
    );
    const write = async (path: string) =>
      toldOf(await at.session.call("write_file", { path: `ws:${path}`, content: "x" }));
    expect(await write("b")).toMatchObject({ path: "ws:b" });
    expect(await write("d/.envrc")).toMatch(/^(DENIED|FILE_)/);
    expect(readdirSync(at.place.ws).toSorted()).toEqual(["b", "d"]);
  });
});

describe.skipIf(unusable !== null || !PEOPLE.includes(ORDINARY))("a folder that a call shuts", () => {
  it("fs.residue: keeps no placeholder for good: whoever starts next when it is open removes it", async () => {
    using place = new Place(ORDINARY);
    for (const folder of ["objects", "refs", "hooks"])
      mkdirSync(join(place.ws, ".git", folder), { recursive: true });
    place.file("ws/.git/HEAD", "ref: refs/heads/main\n");
    place.file("ws/.git/config", "");
    place.ownAll();
    const run = (...argv: [string, ...string[]]) => place.run({ job: { calls: [{ argv }] } });
    expect((await run("chmod", "555", ".git"))[1]).toMatchObject({ kind: "ran", code: 0 });
    expect(existsSync(join(place.ws, ".git/commondir"))).toBe(true);
    chmodSync(join(place.ws, ".git"), 0o755);
    expect((await run("true"))[1]).toMatchObject({ kind: "ran", code: 0 });
    expect(readdirSync(join(place.ws, ".git")).toSorted()).toEqual([
      "HEAD",
      "config",
      "hooks",
      "objects",
      "refs",
    ]);
    expect(readFileSync(join(place.ws, ".git/HEAD"), "utf8")).toContain("main");
  });
});

import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CLOCK_GRAIN_MS } from "../../src/host/look/clock-grain.ts";
import type { Session } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("copies of the product");

/** A copy with its one dependency beside it, and the same without the copy. */
const NEEDS_ZOD = JSON.stringify({ name: "cofferdam", dependencies: { zod: "4.0.0" } });
const COPY = { "cofferdam/package.json": NEEDS_ZOD, "cofferdam/main.js": "", "zod/index.js": "" };

function install(place: Place, at: string, files: Readonly<Record<string, string>> = COPY): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(place.ws, at, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Runs with a session of a supervisor that is installed elsewhere. */
async function inPlace(work: (session: Session, place: Place) => Promise<void>): Promise<void> {
  using place = new Place(CALLER);
  await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
  await using session = supervisor.session();
  await work(session, place);
}

/** How a command ends that writes there, and a file tool. */
async function write(session: Session, path: string): Promise<readonly string[]> {
  const line = `mkdir -p '${dirname(path)}' && echo x >> '${path}'`;
  const calls = [
    await session.call("shell", { argv: ["sh", "-c", line] }),
    await session.call("write_file", { path: `ws:${path}`, content: "x" }),
  ];
  return calls.map(({ kind }) => kind);
}

const HELD = ["failed", "denied"];
const DONE = ["done", "done"];

describe.skipIf(unusable !== null)("own: copies of the product in a root", () => {
  it("own: what lies beside a copy is read-only, however deep and whatever a manifest says; beside none it is not", async () => {
    await inPlace(async (session, place) => {
      for (const at of ["packages/z/node_modules", "a/b/c/node_modules"]) install(place, at);
      install(place, "packages/y/node_modules", { "zod/index.js": "" });
      writeFileSync(join(place.ws, "package.json"), '{"workspaces":["packages/*"]}');
      expect(await write(session, "package.json")).toEqual(DONE);
      for (const at of ["packages/z/node_modules", "a/b/c/node_modules"])
        for (const path of ["zod/index.js", "cofferdam/main.js", "hono/index.js"])
          expect([at, path, await write(session, `${at}/${path}`)]).toEqual([at, path, HELD]);
      expect(await write(session, "packages/y/node_modules/zod/index.js")).toEqual(DONE);
      expect(await write(session, "packages/z/index.js")).toEqual(DONE);
      expect(await write(session, "node_modules/zod/index.js")).toEqual(DONE);
    });
  });

  it("own: a copy that is installed while a supervisor runs is held from the next call on, and until it is gone", async () => {
    await inPlace(async (session, place) => {
      const path = "node_modules/zod/index.js";
      install(place, "node_modules", { "zod/index.js": "" });
      expect(await write(session, path)).toEqual(DONE);
      install(place, "node_modules");
      expect(await session.call("write_file", { path: `ws:${path}`, content: "x" })).toMatchObject({
        kind: "denied",
        denials: [
          {
            because: expect.stringContaining("must not change a copy of cofferdam that programs there load"),
          },
        ],
      });
      expect(await write(session, path)).toEqual(HELD);
      rmSync(join(place.ws, "node_modules/cofferdam"), { recursive: true });
      expect(await write(session, path)).toEqual(DONE);
    });
  });

  it("own: packages that a copy finds further up are held, and what would be found before them can't be made", async () => {
    await inPlace(async (session, place) => {
      install(place, "packages/z/node_modules", { "cofferdam/package.json": NEEDS_ZOD });
      expect(await write(session, "packages/node_modules/a/index.js")).toEqual(DONE);
      install(place, "node_modules", { "zod/package.json": "{}" });
      rmSync(join(place.ws, "packages/node_modules"), { recursive: true });
      for (const path of ["node_modules/zod/index.js", "packages/node_modules/zod/index.js"])
        expect([path, await write(session, path)]).toEqual([path, HELD]);
      expect(await write(session, "packages/z/lib/node_modules/zod/index.js")).toEqual(DONE);
    });
  });

  it("own: a link to a copy elsewhere holds what that one loads; build tools write their caches", async () => {
    await inPlace(async (session, place) => {
      install(place, "tool/node_modules", { ...COPY, ".cache/a": "" });
      install(place, "checkout", { "package.json": NEEDS_ZOD, "dist/a.js": "" });
      install(place, "node_modules", { "zod/index.js": "" });
      mkdirSync(join(place.ws, "app/node_modules"), { recursive: true });
      symlinkSync("../../checkout", join(place.ws, "app/node_modules/cofferdam"));
      // A link that is as old as the call, by the clock's grain, counts as made by it.
      await pause(2 * CLOCK_GRAIN_MS);
      for (const path of ["node_modules/zod/index.js", "checkout/dist/a.js", "app/node_modules/a"])
        expect([path, await write(session, path)]).toEqual([path, HELD]);
      for (const path of ["tool/node_modules/.cache/b", "app/index.js"])
        expect([path, await write(session, path)]).toEqual([path, DONE]);
    });
  });

  it("own: a cache in which a copy lies is none", async () => {
    await inPlace(async (session, place) => {
      const caches = { ".cache/t/node_modules/cofferdam/package.json": "{}", ".vite/a": "" };
      install(place, "node_modules", caches);
      symlinkSync(".cache/t/node_modules/cofferdam", join(place.ws, "node_modules/cofferdam"));
      expect(await write(session, "node_modules/.cache/a")).toEqual(HELD);
      expect(await write(session, "node_modules/.vite/a")).toEqual(DONE);
    });
  });

  it("own: a manifest that nobody can read keeps no call waiting", async () => {
    await inPlace(async (session, place) => {
      install(place, "a/node_modules");
      rmSync(join(place.ws, "a/node_modules/cofferdam/package.json"));
      expect(place.plainly("mkfifo a/node_modules/cofferdam/package.json").status).toBe(0);
      cpSync(join(place.ws, "a/node_modules/zod"), join(place.ws, "a/zod"), { recursive: true });
      expect(await write(session, "a/node_modules/zod/index.js")).toEqual(HELD);
      expect(await write(session, "a/zod/index.js")).toEqual(DONE);
    });
  });

  it("own: a file that a program would load in place of the product is taken away; one beside it is not", async () => {
    await inPlace(async (session, place) => {
      const named = (name: string): readonly string[] =>
        ["js", "json", "node", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx"].map(
          (ending) => `app/node_modules/${name}.${ending}`,
        );
      const all = [...named("cofferdam"), ...named("other")];
      const line = `mkdir -p app/node_modules; for path; do echo 'console.log(1)' > "$path"; done`;
      expect((await session.call("shell", { argv: ["sh", "-c", line, "sh", ...all] })).kind).toBe("done");
      expect(all.filter((path) => isThere(place, path))).toEqual(named("other"));
      expect(place.plainly(`touch ${named("cofferdam").join(" ")}`).status).toBe(0);
      expect((await session.call("shell", { argv: ["ls"] })).kind).toBe("done");
      expect(all.filter((path) => !isThere(place, path))).toEqual([]);
    });
  });
});

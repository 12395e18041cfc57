import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findInstallation } from "../../src/host/look/installation.ts";
import { thisRunningProcess } from "../../src/host/look/running-process.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { fatesOf, isThere, run } from "../support/quarantine/planting.ts";

sandboxMustWork("commands that PATH finds before the product's");

/** Runs with a session of a supervisor that was started in its writable root with this in front of PATH, below a home; `WS` is the root. */
async function startedWith(
  entry: string,
  work: (at: Awaited<ReturnType<typeof testSession>>) => Promise<void>,
  files: readonly string[] = [],
): Promise<void> {
  using place = new Place(CALLER);
  for (const file of files) {
    mkdirSync(dirname(join(place.ws, file)), { recursive: true });
    writeFileSync(join(place.ws, file), "as it was\n", { mode: 0o755 });
  }
  const at = await testSession(place, entry);
  await using _supervisor = at.supervisor;
  await using _session = at.session;
  await work(at);
}

async function testSession(place: Place, entry: string) {
  const env = {
    ...process.env,
    XDG_STATE_HOME: place.state,
    PATH: `${entry.replaceAll("WS", place.ws)}:/usr/bin:/bin`,
  };
  const user = { ...place.host().user, home: knownPath(place.top) };
  const cwd = knownPath(place.ws);
  const running = thisRunningProcess({ env, cwd, homes: [user.home] });
  const supervisor = await place.supervisor(
    { sandbox: { appeared: "report" }, shell: { default: { approval: false } } },
    { env, cwd, user, installation: () => findInstallation({ ...running, program: null }) },
  );
  return { place, supervisor, session: supervisor.session() };
}

const makes = (...files: readonly string[]): string =>
  files.map((file) => `mkdir -p ${dirname(file)}; echo x > ${file}`).join("; ");

describe.skipIf(unusable !== null)("own: an entry of PATH", () => {
  it.each(["bin", "./bin/", "sub/../bin", "../bin", "/proc/self/cwd/bin", "~+/bin"])(
    "own: a command that a call makes in such a folder is taken away, and one beside it is not: %s",
    async (entry) => {
      await startedWith(entry, async (at) => {
        const outcome = await run(at, makes("a/b/bin/cofferdam", "a/bin/node", "a/lib/node", "a/bin/more"));
        expect(fatesOf(outcome, at)).toEqual({
          "a/b/bin/cofferdam": "quarantined",
          "a/bin/node": "quarantined",
        });
        expect([isThere(at.place, "a/lib/node"), isThere(at.place, "a/bin/more")]).toEqual([true, true]);
      });
    },
  );

  it("own: so is one that a later call moves there with its folder, and one behind a link", async () => {
    await startedWith("bin", async (at) => {
      expect(fatesOf(await run(at, makes("a/x/sh", "stuff/sed")), at)).toEqual({});
      expect(fatesOf(await run(at, "mv a/x a/bin"), at)).toEqual({ "a/bin/sh": "quarantined" });
      await run(at, "ln -s ../stuff a/linked; mkdir b; ln -s ../stuff b/bin");
      expect([isThere(at.place, "a/linked/sed"), isThere(at.place, "b/bin/sed")]).toEqual([true, false]);
    });
  });

  it.each(["", ".", "..", "b/.."])(
    "own: so is a file in any folder where the entry is that folder itself, and a folder of such a name is not: %j",
    async (entry) => {
      await startedWith(entry, async (at) => {
        const outcome = await run(at, makes("a/cofferdam", "a/more", "src/node/x"));
        expect(fatesOf(outcome, at)).toEqual({ "a/cofferdam": "quarantined" });
        expect(isThere(at.place, "src/node/x")).toBe(true);
      });
    },
  );

  it("own: what was there can't be changed; elsewhere it can", async () => {
    const files = ["a/bin/cofferdam", "b/bin/sed", "a/lib/cofferdam"];
    await startedWith(
      "bin",
      async (at) => {
        await run(at, files.map((file) => `echo x > ${file}`).join("; "));
        await run(at, "mv a/bin a/other; rm b/bin/sed");
        const texts = files.map((file) => readFileSync(join(at.place.ws, file), "utf8"));
        expect(texts).toEqual(["as it was\n", "as it was\n", "x\n"]);
        const written = await at.session.call("write_file", { path: "ws:a/bin/cofferdam", content: "x" });
        const because = expect.stringContaining(
          "that a relative folder in PATH finds as cofferdam (installation)",
        );
        expect(written).toMatchObject({ kind: "denied", denials: [{ because }] });
      },
      files,
    );
  });

  it.each(["~/ws/tools", "~somebody/ws/tools"])(
    "own: a home that PATH names as bash alone understands it is meant: %s",
    async (entry) => {
      await startedWith(
        entry,
        async (at) => {
          const outcome = await run(at, makes("tools/sh", "lib/cofferdam"));
          expect(fatesOf(outcome, at)).toEqual({ "tools/sh": "quarantined" });
          expect((await run(at, makes("tools/cofferdam"))).kind).toBe("failed");
        },
        ["tools/more"],
      );
    },
  );

  it.each(["sh", "bash", "sed", "dirname", "uname", "node"])(
    "own: what is looked up before the product in an absolute folder can't be changed either: %s",
    async (name) => {
      const files = [`tools/${name}`, "tools/awk", `other/${name}`];
      await startedWith(
        "WS/tools:WS/missing",
        async (at) => {
          await run(at, files.map((file) => `echo x > ${file}`).join("; "));
          const texts = files.map((file) => readFileSync(join(at.place.ws, file), "utf8"));
          expect(texts).toEqual(["as it was\n", "x\n", "x\n"]);
        },
        files,
      );
    },
  );
});

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { readRun, recordedRuns } from "../../src/journal/record.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { Reply } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("masks that are lost");

/** Goes on for half a minute unless it is ended, and says all the while that it does. */
const goingOn = (mark: string): string =>
  `: > ready-${mark}; n=0; while [ $n -lt 600 ]; do n=$((n+1)); echo $n > beat; cat hidden folder/key 2>/dev/null; sleep 0.05; done`;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it("fs.mounts: what hides something is lost: the call is ended and it is told; what is only read-only: it is told", async () => {
    using place = new Place(person);
    place.file("ws/hidden", "old");
    place.file("ws/fixed", "old");
    place.folder("ws/folder");
    place.file("ws/folder/key", "old");
    const at = (name: string): string => join(place.ws, name);
    const masks = (["hidden", "folder"] as const).map((name) => ({ pattern: at(name), at_most: "none" }));
    const profile = place.file(
      "masked.yaml",
      JSON.stringify({
        profile: "masked",
        masks: [...masks, { pattern: at("fixed"), at_most: "read" }],
        expect: [{ deny: "read", path: at("hidden") }],
      }),
    );
    const calls = ["file", "folder", "sandbox"].map((mark) => ({ argv: inShell(goingOn(mark)) }));
    const last = { argv: inShell("cat fixed; cat hidden folder/key; sleep 0.6") };
    const child = place.start({ job: { profiles: [profile], calls: [...calls, last] } });
    let out = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const closed = once(child, "close");

    await untilThere(at("ready-file"));
    expect(place.plainly("printf new > t && mv t fixed").status).toBe(0);
    await pause(600);
    const beat = readFileSync(at("beat"), "utf8");
    await vi.waitFor(() => expect(readFileSync(at("beat"), "utf8")).not.toBe(beat), { timeout: 60_000 });
    expect(place.plainly("printf new > t && mv t hidden").status).toBe(0);

    await untilThere(at("ready-folder"));
    expect(place.plainly("rm -r folder && mkdir folder && printf new > folder/key").status).toBe(0);

    await untilThere(at("ready-sandbox"));
    const other = place.run({
      job: { profiles: [], calls: [{ argv: inShell("printf newer > t && mv t hidden") }] },
    });
    expect(await other).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
    await closed;

    const lines = out.trim().split("\n");
    const [, file, folder, sandbox, untouched] = lines.map((line) => Reply.parse(JSON.parse(line)));
    const missing = (name: string): string => `the mount at ${at(name)} is missing`;
    const ended = { kind: "ran", code: 143, standings: { files: "partial" } };
    expect([file, folder, sandbox]).toMatchObject([
      {
        ...ended,
        mounts: {
          changes: [missing("fixed"), missing("hidden")].toSorted(),
          uncovered: [at("hidden")],
          unprotected: [{ path: at("fixed"), runs: [] }],
        },
      },
      { ...ended, mounts: { changes: [missing("folder")], uncovered: [at("folder")], unprotected: [] } },
      { ...ended, mounts: { changes: [missing("hidden")], uncovered: [at("hidden")], unprotected: [] } },
    ]);
    expect(untouched).toMatchObject({
      kind: "ran",
      code: 0,
      stdout: "new",
      standings: { files: "enforced" },
    });
    expect(untouched).not.toHaveProperty("mounts");
    expect(endings(place)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          `^no longer hidden: ${at("hidden")}; ${at("fixed")} lost its protection and could be written; `,
        ),
        expect.stringMatching(`^no longer hidden: ${at("folder")}; `),
        null,
      ]),
    );
  });

  it("fs.mounts: what is protected and replaced on the host is told as open to the call since, with what git may run by it", async () => {
    using place = new Place(person);
    place.plainly(
      "git init -q . && git config core.editor vi && echo old > .envrc && mkdir sub && echo old > sub/.envrc",
    );
    const at = (name: string): string => join(place.ws, name);
    const writes = (name: string): string =>
      `{ echo "[core] fsmonitor=./x" >> ${name}; } 2>/dev/null && echo ${name}`;
    const every = [".git/config", ".envrc", "sub/.envrc"].map(writes).join("; ");
    const child = place.start({
      job: { calls: [{ argv: inShell(`${every}; : > ready; ${UNTIL_GONE}; ${every}; true`) }] },
    });
    let out = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const closed = once(child, "close");
    await untilThere(at("ready"));
    expect(place.plainly("git config foo.bar baz && echo new > t && mv t .envrc && rm ready").status).toBe(0);
    await closed;
    const [, ran] = out
      .trim()
      .split("\n")
      .map((line) => Reply.parse(JSON.parse(line)));
    expect(ran).toMatchObject({
      kind: "ran",
      code: 0,
      // Neither before, and of what nobody replaced not after it either.
      stdout: ".git/config\n.envrc\n",
      standings: { files: "partial" },
      mounts: {
        changes: [".envrc", ".git/config"].map((name) => `the mount at ${at(name)} is missing`),
        uncovered: [],
        unprotected: [
          { path: at(".envrc"), runs: [] },
          { path: at(".git/config"), runs: ["core.editor", "foo.bar", "core.fsmonitor"] },
        ],
      },
    });
    expect(endings(place)).toEqual([
      `${at(".envrc")} lost its protection and could be written; ${at(".git/config")} lost its protection and could be written (git may run core.editor, foo.bar, core.fsmonitor)`,
    ]);
    expect(place.read("ws/.git/config")).toContain("fsmonitor=./x");
  });
});

const UNTIL_GONE = "n=0; while [ -e ready ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.05; done";

const inShell = (line: string): [string, ...string[]] => ["sh", "-c", line];

async function untilThere(path: string): Promise<void> {
  for (let tries = 0; !existsSync(path); tries += 1) {
    if (tries > 1_000) throw new Error(`${path} never came`);
    await pause(20);
  }
  // The shell goes on as soon as the file is there; its sandbox was proven before.
}

/** Why calls ended, by the journals of all supervisors. */
function endings(place: Place): readonly (string | null)[] {
  const folder = absolutePath(join(place.state, "cofferdam/journal"));
  return recordedRuns(folder)
    .flatMap((run) => readRun(folder, run).events)
    .flatMap((event) => (event.type === "call.ended" ? [event.reason] : []));
}

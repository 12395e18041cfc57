import { existsSync, lstatSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEVICES } from "../../src/backend/bubblewrap/views.ts";
import { PROJECTS } from "../support/battery/linked.ts";
import { noDevices, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("residue");

/**
 * The state folder after a supervisor has ended: its knowledge of the machine, the empty file that hides others, the
 * records, the ledger and the live calls with their locks, and folders that are empty by then.
 */
const STATE = [
  "attestation.json",
  "empty",
  "journal",
  "launcher.json",
  "ledger",
  "ledger-lock",
  "live",
  "live-lock",
  "supervisors",
  "watched",
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  let profile = "";
  beforeEach(() => {
    place = new Place(person);
    const masks = [
      { pattern: `${place.ws}/held`, at_most: "none" },
      { pattern: `${place.ws}/deep/er/held`, at_most: "read" },
    ];
    const expects = [
      { deny: "write", path: `${place.ws}/held` },
      { deny: "write", path: `${place.ws}/deep/er/held` },
    ];
    profile = place.file("profile.yaml", JSON.stringify({ profile: "holds", masks, expect: expects }));
  });
  afterEach(() => place[Symbol.dispose]());

  const inside = (line: string) => ({ argv: ["sh", "-c", line] });
  const held = (): readonly string[] =>
    readdirSync(place.ws).filter((name) => name === "held" || name === "deep");
  const ledger = (): readonly string[] => list(join(place.state, "cofferdam/ledger"));

  it("fs.residue: after calls of every ending nothing is left: no placeholder, no entry, no temporary", async () => {
    const lines = [
      "true",
      "exit 3",
      "kill -9 $$",
      "mkdir held; echo x > deep; mkdir -p deep/er/held; exit 0",
      "sleep 60",
      "no-such-program",
    ];
    const temporary = place.folder("temporary");
    const before = list(place.top);
    const replies = await place.run({
      env: { TMPDIR: temporary },
      settings: { sandbox: { limits: { wall: "1s" } } },
      job: { profiles: [profile], calls: lines.map(inside) },
    });
    const codes = replies.map((reply) => (reply.kind === "ran" ? reply.code : reply.kind));
    expect(codes).toEqual(["made", 0, 3, 137, 0, 143, 127]);
    const left = ["watched", "supervisors"].flatMap((name) => list(join(place.state, "cofferdam", name)));
    expect([held(), ledger(), list(temporary), left]).toEqual([[], [], [], []]);
    expect(list(place.top)).toEqual([...before, "config.yaml", "job.json"].toSorted());
    expect(list(join(place.state, "cofferdam")).filter((name) => name !== "devices")).toEqual(STATE);
    const devices = person.uid === 0 ? DEVICES.toSorted() : [];
    if (noDevices === null) expect(list(join(place.state, "cofferdam/devices"))).toEqual(devices);
  });

  it("fs.missing: while a call runs a missing protected path is held, and cannot be made", async () => {
    const line = `mkdir ${place.ws}/held; touch ${place.ws}/held/x; mkdir -p ${place.ws}/deep/er; : > ${place.ws}/free; ls ${place.ws} | sort | tr '\\n' ' '`;
    const [, reply] = await place.run({ job: { profiles: [profile], calls: [inside(line)] } });
    expect(reply).toMatchObject({ kind: "ran", stdout: "deep free held " });
    expect([held(), existsSync(join(place.ws, "free"))]).toEqual([[], true]);
    const plain = place.plainly(
      `mkdir ${place.ws}/held && : > ${place.ws}/held/x && mkdir -p ${place.ws}/deep/er`,
    );
    expect([plain.status, [...held()].toSorted()]).toEqual([0, ["deep", "held"]]);
  });

  it.each(PROJECTS)(
    "fs.residue: what a killed supervisor left in $what is swept by the next one of that user",
    async ({ prepare }) => {
      prepare(place);
      const before = place.plainly("find .").stdout;
      const child = place.start({
        job: { profiles: [profile], calls: [inside(`: > ${place.ws}/up; sleep 60`)] },
      });
      await vi.waitUntil(() => existsSync(join(place.ws, "up")), { timeout: 60_000 });
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      expect([[...held()].toSorted(), ledger().length]).toEqual([["deep", "held"], 1]);
      await place.run({ job: { profiles: [profile], calls: [] } });
      expect([held(), ledger()]).toEqual([[], []]);
      place.remove("ws/up");
      expect(place.plainly("find .").stdout).toBe(before);
    },
  );

  it("fs.residue: a placeholder that somebody has put something into is theirs, and stays", async () => {
    const child = place.start({
      job: { profiles: [profile], calls: [inside(`: > ${place.ws}/up; sleep 60`)] },
    });
    await vi.waitUntil(() => existsSync(join(place.ws, "up")), { timeout: 60_000 });
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    writeFileSync(join(place.ws, "held/theirs"), "kept");
    rmdirSync(join(place.ws, "deep"));
    await place.run({ job: { profiles: [profile], calls: [] } });
    expect([held(), ledger(), place.read("ws/held/theirs")]).toEqual([["held"], [], "kept"]);
  });

  it("fs.residue: of two calls that share a placeholder, the first to end leaves it to the second", async () => {
    const start = async (name: string) => {
      const child = place.start(
        {
          job: {
            profiles: [profile],
            calls: [
              inside(
                `: > ${place.ws}/up-${name}; while [ ! -e ${place.ws}/go-${name} ]; do sleep 0.05; done; mkdir ${place.ws}/held/x`,
              ),
            ],
          },
        },
        `${name}.json`,
      );
      await vi.waitUntil(() => existsSync(join(place.ws, `up-${name}`)), { timeout: 60_000 });
      return { ended: new Promise((resolve) => child.once("close", resolve)) };
    };
    const [first, second] = [await start("first"), await start("second")];
    const node = lstatSync(join(place.ws, "held")).ino;
    expect(ledger()).toHaveLength(2);
    place.file("ws/go-first", "");
    await first.ended;
    expect([lstatSync(join(place.ws, "held")).ino, ledger().length]).toEqual([node, 1]);
    place.file("ws/go-second", "");
    await second.ended;
    expect([held(), ledger()]).toEqual([[], []]);
  });
});

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
